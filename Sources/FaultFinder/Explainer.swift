import Issuance
import OpenID
import Postgres
import Storage

/// Finds out which rule refuses a request. It only reads: no code is spent, no token rotated, nothing recorded.
public struct Explainer: Sendable {
    private let issuer: Issuer
    private let database: Database
    private let masterKeys: MasterKeys
    private let now: Now

    public init(issuer: Issuer, database: Database, masterKeys: MasterKeys, now: @escaping Now) {
        self.issuer = issuer
        self.database = database
        self.masterKeys = masterKeys
        self.now = now
    }

    /// - Parameter text: a URL of the authorization endpoint, or its query.
    /// - Throws: what the database throws.
    public func explain(authorization text: String) async throws -> Explanation {
        var faults = AuthorizationFaults(issuer: issuer, text: AuthorizationText(text))
        let client = try await client(faults.clientID)
        let keyRing = try await keyRing()
        let issuer = issuer
        return faults.explain(
            .init(
                client: client, switches: try await SwitchStore(database: database).all(),
                requiredSubject: { request throws(OAuthError) in
                    try keyRing.requiredSubject(of: request, issuer: issuer)
                },
                now: now()))
    }

    /// - Throws: what the database throws.
    public func explain(token text: TokenRequestText) async throws -> Explanation {
        var faults = TokenFaults(text)
        let client = try await client(faults.credentials?.clientID)
        var facts = TokenFaults.Facts(client: client, masterKeys: masterKeys, now: now())
        facts.switches = try await SwitchStore(database: database).all()
        facts.canSign = try await keyRing().signer() != nil
        if let code = faults.parameters?["code"],
            let hash = LookupSecrets.authorizationCodes(masterKeys).hash(code)
        {
            facts.code = try await AuthorizationCodeStore(database: database).issued(hash: hash)
        }
        if let token = faults.parameters?["refresh_token"] {
            facts.refreshToken = try await refreshToken(token, client?.metadata)
        }
        return faults.explain(facts)
    }

    private func client(_ clientID: String?) async throws -> ClientRecord? {
        guard let clientID else { return nil }
        return try await ClientStore(database: database).find(clientID)
    }

    private func keyRing() async throws -> KeyRing {
        let keyRing = KeyRing(masterKeys, now: now)
        try await keyRing.load(from: SigningKeyStore(database: database))
        return keyRing
    }

    private func refreshToken(_ text: String, _ client: ClientMetadata?) async throws -> SentRefreshToken {
        let sealedTokens = SealedTokens(masterKeys)
        guard let token = sealedTokens.openRefreshToken(text) else {
            return sealedTokens.openAccessToken(text) == nil ? .unknown : .accessToken
        }
        let standing = try await GrantStore(database: database).refreshStanding(
            grantID: token.grantID, generation: token.generation,
            retryWindow: Int64(client?.refreshRetrySeconds ?? 0))
        return .known(generation: token.generation, standing)
    }
}
