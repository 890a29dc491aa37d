import HTTP
import Issuance
import JSON
import OpenID
import RequestAuthentication
import Storage

/// The revocation endpoint (RFC 7009).
public struct Revocation: Sendable {
    private static let path = "/oauth/revoke"

    private let issuer: Issuer
    private let endpoint: ClientEndpoint
    private let switches: Switches
    private let grants: GrantStore
    private let sealedTokens: SealedTokens

    public init(
        issuer: Issuer, authentication: ClientAuthentication, switches: Switches, grants: GrantStore,
        audit: AuditStore, sealedTokens: SealedTokens
    ) {
        self.issuer = issuer
        endpoint = ClientEndpoint(
            authentication: authentication, audit: audit, refusal: .revocationRefused, logName: "revocation.refused")
        self.switches = switches
        self.grants = grants
        self.sealedTokens = sealedTokens
    }

    public var routes: [Route] {
        [Route(.post, Self.path, cors: .anyOrigin) { await endpoint.answer($0, revoke) }]
    }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] {
        [
            .init("revocation_endpoint", .string(issuer.url(Self.path))),
            .init(
                "revocation_endpoint_auth_methods_supported",
                .array([.string("client_secret_basic"), .string("client_secret_post"), .string("none")])),
        ]
    }

    private func revoke(_ request: Request, _ parameters: Parameters, _ client: ClientRecord) async throws -> Response {
        try await switches.require(.revocation, for: client.metadata)
        let token = try parameters.tokenInQuestion()
        let clientID = client.metadata.clientID
        switch try await end(token, clientID, request.origin) {
        case .ended:
            request.log(.info, "token.revoked", [.init("client_id", .string(clientID))])
        case .nothingToEnd:
            // §2.2: the app wanted it to be over, and it is.
            break
        case .otherClients:
            // §2.1 has it refused, RFC 6749 §5.2 has the word.
            throw OAuthError(.invalidGrant, "the token was issued to another client")
        }
        return Response(status: 200, headers: Headers([("Cache-Control", "no-store")]))
    }

    /// A refresh token of any generation ends its grant, and so all that came of it. An access token, also an expired one,
    /// ends the access tokens issued so far.
    private func end(
        _ text: String, _ clientID: String, _ origin: AuditEvent.Origin
    ) async throws -> RevocationOutcome {
        if let token = sealedTokens.openRefreshToken(text) {
            return try await grants.revoke(grantID: token.grantID, clientID: clientID, origin: origin)
        }
        if let token = sealedTokens.openAccessToken(text) {
            return try await grants.revokeAccessTokens(
                grantID: token.grantID, epoch: token.epoch, clientID: clientID, origin: origin)
        }
        return .nothingToEnd
    }
}
