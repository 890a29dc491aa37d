import EventLoop
import JOSE
import JSON
import OpenID
import OpenSSL
import Storage

/// What a client gets for a code or a refresh token (Core §3.1.3.3).
public struct IssuedTokens: Sendable {
    public let accessToken: String
    /// Seconds.
    public let expiresIn: Int64
    public let idToken: String
    /// nil when the client may not refresh.
    public let refreshToken: String?
}

/// Mints tokens for a grant. One per loop, since signing waits for the loop's heavy lane.
public struct TokenIssuer: Sendable {
    /// No key signs at present: answer 503.
    public struct NoSigningKey: Error {
        public init() {}
    }

    private let issuer: Issuer
    private let keyRing: KeyRing
    private let sealedTokens: SealedTokens
    private let loop: EventLoop
    private let now: Now

    public init(issuer: Issuer, keyRing: KeyRing, sealedTokens: SealedTokens, loop: EventLoop, now: @escaping Now) {
        self.issuer = issuer
        self.keyRing = keyRing
        self.sealedTokens = sealedTokens
        self.loop = loop
        self.now = now
    }

    /// Whether tokens can be signed: asked before a code or refresh token is spent.
    public var canSign: Bool { keyRing.signer() != nil }

    /// - Parameter scope: what the access token may do: the grant's scope or less.
    public func issue(for grant: Grant, to client: ClientMetadata, scope: [String]) async throws -> IssuedTokens {
        let issuedAt = now()
        let accessToken = sealedTokens.seal(
            AccessToken(
                grantID: grant.id, accountID: grant.accountID, issuedAt: issuedAt,
                expiresAt: issuedAt + Int64(client.accessTokenLifetime), clientID: client.clientID, scope: scope,
                epoch: grant.accessEpoch))
        let mayRefresh = client.grantTypes.contains(.refreshToken)
        let refreshToken =
            mayRefresh
            ? sealedTokens.seal(RefreshToken(grantID: grant.id, generation: grant.generation)) : nil
        let payload = idToken(for: grant, to: client, accessToken: accessToken, issuedAt: issuedAt)
        return IssuedTokens(
            accessToken: accessToken, expiresIn: Int64(client.accessTokenLifetime), idToken: try await sign(payload),
            refreshToken: refreshToken)
    }

    /// Signs another JWT than an ID Token.
    /// - Parameter claims: a finished JSON object.
    public func sign(_ claims: [UInt8]) async throws -> String {
        await loop.heavyTurn()
        guard let signer = keyRing.signer() else { throw NoSigningKey() }
        return signer.sign(claims)
    }

    /// The claims of Core §2. Claims about the person are for userinfo, but for those asked for here by name (§5.5).
    private func idToken(
        for grant: Grant, to client: ClientMetadata, accessToken: String, issuedAt: Int64
    ) -> [UInt8] {
        var claims = JSONObjectWriter(capacity: 512)
        claims.add("iss", issuer.description)
        claims.add("sub", grant.subject)
        claims.add("aud", client.clientID)
        claims.add("exp", issuedAt + Int64(client.idTokenLifetime))
        claims.add("iat", issuedAt)
        claims.add("auth_time", grant.authTime)
        claims.add("nonce", ifPresent: grant.nonce)
        claims.add("acr", grant.acr)
        claims.add("amr", grant.amr)
        // §3.1.3.6: the left half of the hash of the access token.
        claims.add("at_hash", Base64URL.encode(Array(SHA256.hash(Array(accessToken.utf8)).prefix(16))))
        claims.add("sid", grant.sid)
        if let person = grant.claims { claims.add(claimsOf: person, where: grant.idTokenClaims.contains) }
        return claims.finish()
    }
}
