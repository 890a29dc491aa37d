import HTTP
import Issuance
import JSON
import OpenID
import RequestAuthentication
import Storage

/// The introspection endpoint (RFC 7662).
public struct Introspection: Sendable {
    private static let path = "/oauth/introspect"

    private let issuer: Issuer
    private let endpoint: ClientEndpoint
    private let bearer: BearerAuthentication
    private let switches: Switches
    private let grants: GrantStore
    private let sealedTokens: SealedTokens

    public init(
        issuer: Issuer, authentication: ClientAuthentication, bearer: BearerAuthentication, switches: Switches,
        grants: GrantStore, audit: AuditStore, sealedTokens: SealedTokens
    ) {
        self.issuer = issuer
        endpoint = ClientEndpoint(
            authentication: authentication, audit: audit, refusal: .introspectionRefused,
            logName: "introspection.refused")
        self.bearer = bearer
        self.switches = switches
        self.grants = grants
        self.sealedTokens = sealedTokens
    }

    // No CORS: nobody who may ask lives in a browser.
    public var routes: [Route] { [Route(.post, Self.path) { await endpoint.answer($0, introspect) }] }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] {
        [
            .init("introspection_endpoint", .string(issuer.url(Self.path))),
            .init(
                "introspection_endpoint_auth_methods_supported",
                .array([.string("client_secret_basic"), .string("client_secret_post")])),
        ]
    }

    private func introspect(
        _ request: Request, _ parameters: Parameters, _ client: ClientRecord
    ) async throws -> Response {
        // §2.1 wants the caller authorized, and a public client has shown nothing. RFC 6749 §5.2: "no client
        // authentication included" is invalid_client; RFC 7662 §2.3: with 401.
        guard client.metadata.isConfidential else {
            throw OAuthError(.invalidClient, "only a client that authenticates may introspect tokens")
        }
        try await switches.require(.introspection, for: client.metadata)
        let text = try parameters.tokenInQuestion()
        if let token = sealedTokens.openRefreshToken(text) {
            return .json(try await describe(token, to: client.metadata) ?? Self.inactive)
        }
        return .json(try await describeAccessToken(text, to: client.metadata) ?? Self.inactive)
    }

    /// §2.2: alone, whatever the reason.
    private static let inactive = Array("{\"active\":false}".utf8)

    /// A refresh token is for its own client's eyes only; nil when it cannot be used.
    private func describe(_ token: RefreshToken, to client: ClientMetadata) async throws -> [UInt8]? {
        guard client.grantTypes.contains(.refreshToken),
            let grant = try await grants.standing(ofGrant: token.grantID), grant.clientID == client.clientID,
            grant.end == nil, grant.generation == token.generation
        else { return nil }
        var body = describe(grant, scope: grant.scope)
        body.add("iat", grant.refreshedAt)
        body.add("exp", grant.endsAt)
        return body.finish()
    }

    /// An access token's client may ask, and the resource servers it is for; nil when it is not good, or not for the caller.
    private func describeAccessToken(_ text: String, to client: ClientMetadata) async throws -> [UInt8]? {
        let access: BearerAccess
        do {
            access = try await bearer.check(text)
        } catch is BearerRefusal {
            return nil
        }
        let audience = [access.token.clientID] + access.client.metadata.audience
        guard audience.contains(client.clientID) else { return nil }
        var body = describe(access.grant, scope: access.token.scope)
        body.add("token_type", "Bearer")
        body.add("iat", access.token.issuedAt)
        body.add("exp", access.token.expiresAt)
        body.add("aud", audience)
        return body.finish()
    }

    /// What both kinds have.
    private func describe(_ grant: GrantStanding, scope: [String]) -> JSONObjectWriter {
        var body = JSONObjectWriter(capacity: 512)
        body.add("active", true)
        body.add("iss", issuer.description)
        body.add("client_id", grant.clientID)
        body.add("sub", grant.subject)
        body.add("scope", scope.joined(separator: " "))
        body.add("auth_time", grant.authTime)
        body.add("acr", grant.acr)
        body.add("sid", grant.sid)
        return body
    }
}
