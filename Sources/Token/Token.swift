import HTTP
import Issuance
import JSON
import OpenID
import OpenSSL
import Postgres
import RequestAuthentication
import Storage

/// The token endpoint (RFC 6749 §3.2, Core §3.1.3 and §12).
public struct Token: Sendable {
    private static let path = "/oauth/token"

    private let issuer: Issuer
    private let authentication: ClientAuthentication
    private let codes: AuthorizationCodeStore
    private let grants: GrantStore
    private let audit: AuditStore
    private let codeSecrets: LookupSecrets
    private let sealedTokens: SealedTokens
    private let tokens: TokenIssuer
    private let switches: Switches

    public init(
        issuer: Issuer, authentication: ClientAuthentication, switches: Switches, codes: AuthorizationCodeStore,
        grants: GrantStore,
        audit: AuditStore, masterKeys: MasterKeys, sealedTokens: SealedTokens, tokens: TokenIssuer
    ) {
        self.issuer = issuer
        self.authentication = authentication
        self.codes = codes
        self.grants = grants
        self.audit = audit
        codeSecrets = LookupSecrets.authorizationCodes(masterKeys)
        self.sealedTokens = sealedTokens
        self.tokens = tokens
        self.switches = switches
    }

    public var routes: [Route] {
        let endpoint = ClientEndpoint(
            authentication: authentication, audit: audit, refusal: .tokenRefused, logName: "token.refused")
        return [Route(.post, Self.path, cors: .anyOrigin) { await endpoint.answer($0, issue) }]
    }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] {
        [
            .init("token_endpoint", .string(issuer.url(Self.path))),
            .init(
                "token_endpoint_auth_methods_supported",
                .array([.string("client_secret_basic"), .string("client_secret_post"), .string("none")])),
            .init("grant_types_supported", .array([.string("authorization_code"), .string("refresh_token")])),
            .init("subject_types_supported", .array([.string("public")])),
            .init("id_token_signing_alg_values_supported", .array([.string("RS256")])),
            .init("scopes_supported", .array(StandardScope.allCases.map { .string($0.rawValue) })),
            .init(
                "claims_supported",
                .array(
                    ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "at_hash", "sid"]
                        .map { .string($0) })),
        ]
    }

    private func issue(_ request: Request, _ parameters: Parameters, _ client: ClientRecord) async throws -> Response {
        // 1. What it asks.
        let asked = try TokenRequest(parameters, client: client.metadata)
        try await switches.require(.signIn, for: client.metadata)
        guard tokens.canSign else { throw TokenIssuer.NoSigningKey() }

        // 2. Use it, and answer.
        switch asked {
        case .authorizationCode(let code, let redirectURI, let codeVerifier):
            let grant = try await redeem(code, redirectURI, codeVerifier, client.metadata, request)
            return try await respond(to: client.metadata, grant, scope: grant.scope)
        case .refreshToken(let token, let scope):
            let grant = try await refresh(token, scope, client.metadata, request)
            return try await respond(to: client.metadata, grant, scope: scope ?? grant.scope)
        }
    }

    /// RFC 6749 §4.1.3, RFC 7636 §4.6.
    private func redeem(
        _ code: String, _ redirectURI: String?, _ codeVerifier: String?, _ client: ClientMetadata, _ request: Request
    ) async throws -> Grant {
        guard let hash = codeSecrets.hash(code) else { throw TokenRequest.badCode }
        // An ill-formed verifier is a wrong one: no challenge is the empty text.
        let challenge = codeVerifier.map { PKCE.challenge(for: $0) ?? "" }
        let redemptionID = randomBytes(16)
        func redeem() async throws -> Redemption {
            try await codes.redeem(
                hash: hash, clientID: client.clientID, redirectURI: redirectURI, codeChallenge: challenge,
                redemption: redemptionID, idleLifetime: Int64(client.refreshTokenIdleLifetime),
                lifetime: Int64(client.refreshTokenLifetime), origin: request.origin)
        }
        let redemption: Redemption
        do {
            redemption = try await redeem()
        } catch DatabaseError.unavailable {
            // Perhaps it was done and only the answer is lost: then the app's own second try would look like theft.
            redemption = try await redeem()
        }
        let clientID = JSON.Member("client_id", .string(client.clientID))
        switch redemption {
        case .fresh(let grant):
            request.log(.info, "code.redeemed", [clientID, .init("grant", .integer(grant.id))])
            return grant
        case .replayed(let grantID):
            request.log(.warning, "code.replayed", [clientID, .init("ended_grant", .integer(grantID))])
            throw TokenRequest.badCode
        case .refused(let reason):
            throw OAuthError(.invalidGrant, TokenRequest.badCode.description, detail: reason)
        }
    }

    /// RFC 6749 §6, RFC 9700 §4.14.2.
    private func refresh(
        _ text: String, _ scope: [String]?, _ client: ClientMetadata, _ request: Request
    ) async throws -> Grant {
        guard let token = sealedTokens.openRefreshToken(text) else { throw TokenRequest.badRefreshToken }
        if let scope { try await refuseWiderScope(scope, than: token, client) }
        let rotation = try await grants.rotate(
            grantID: token.grantID, generation: token.generation, clientID: client.clientID,
            retryWindow: Int64(client.refreshRetrySeconds), idleLifetime: Int64(client.refreshTokenIdleLifetime),
            origin: request.origin)
        let fields: [JSON.Member] = [
            .init("client_id", .string(client.clientID)), .init("grant", .integer(token.grantID)),
        ]
        switch rotation {
        case .fresh(let grant):
            return grant
        case .retried(let grant):
            request.log(.info, "refresh.retried", fields)
            return grant
        case .reused:
            request.log(.warning, "refresh.reused", fields)
            throw TokenRequest.badRefreshToken
        case .unknown:
            throw TokenRequest.badRefreshToken
        }
    }

    /// Asked before the token is used, so that a wrong scope costs nobody a token. The scope of a grant never changes.
    private func refuseWiderScope(_ scope: [String], than token: RefreshToken, _ client: ClientMetadata) async throws {
        guard let granted = try await grants.scope(ofGrant: token.grantID, clientID: client.clientID) else { return }
        guard Set(scope).isSubset(of: granted) else {
            throw TokenRequest.widerScope
        }
    }

    // MARK: The answer

    /// RFC 6749 §5.1, Core §3.1.3.3.
    private func respond(to client: ClientMetadata, _ grant: Grant, scope: [String]) async throws -> Response {
        let issued = try await tokens.issue(for: grant, to: client, scope: scope)
        var body = JSONObjectWriter(capacity: 1_536)
        body.add("access_token", issued.accessToken)
        body.add("token_type", "Bearer")
        body.add("expires_in", issued.expiresIn)
        body.add("refresh_token", ifPresent: issued.refreshToken)
        body.add("id_token", issued.idToken)
        body.add("scope", scope.joined(separator: " "))
        if client.camelCaseAliases {
            body.add("accessToken", issued.accessToken)
            body.add("tokenType", "Bearer")
            body.add("expiresIn", issued.expiresIn)
            body.add("refreshToken", ifPresent: issued.refreshToken)
            body.add("idToken", issued.idToken)
        }
        var response = Response.json(body.finish())
        response.headers.set("Pragma", "no-cache")
        return response
    }
}
