import HTTP
import Issuance
import JSON
import OpenID
import RequestAuthentication
import Storage

/// The userinfo endpoint (Core §5.3): what an app may know of the person who signed in.
public struct UserInfo: Sendable {
    private static let path = "/oauth/userinfo"

    private let issuer: Issuer
    private let endpoint: BearerEndpoint
    private let tokens: TokenIssuer

    public init(
        issuer: Issuer, authentication: BearerAuthentication, switches: Switches, audit: AuditStore,
        tokens: TokenIssuer
    ) {
        self.issuer = issuer
        endpoint = BearerEndpoint(
            .userInfo, authentication: authentication, switches: switches, audit: audit, refusal: .userInfoRefused,
            logName: "userinfo.refused")
        self.tokens = tokens
    }

    public var routes: [Route] {
        [
            Route(.get, Self.path, cors: .anyOrigin) { request in await answer(request) },
            Route(.post, Self.path, cors: .anyOrigin) { request in await answer(request) },
        ]
    }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] {
        [
            .init("userinfo_endpoint", .string(issuer.url(Self.path))),
            .init("userinfo_signing_alg_values_supported", .array([.string("RS256")])),
            .init("claims_supported", .array(StandardClaim.allCases.map { .string($0.rawValue) })),
        ]
    }

    private func answer(_ request: Request) async -> Response {
        await endpoint.answer(request, withClaims: true) { access in
            try requireOpenID(access)
            return try await respond(to: access)
        }
    }

    /// Core §5.3.1: an access token of an OpenID sign-in.
    private func requireOpenID(_ access: BearerAccess) throws(BearerRefusal) {
        let needed = StandardScope.openid.rawValue
        guard access.token.scope.contains(needed) else {
            let error = OAuthError(.insufficientScope, "the access token was not made for the scope \(needed)")
            throw .forbidden(error, scope: needed, clientID: access.token.clientID)
        }
    }

    /// Core §5.3.2: `sub` always, and what the token's scope (§5.4) and the claims parameter (§5.5) let the app know.
    private func respond(to access: BearerAccess) async throws -> Response {
        let client = access.client.metadata
        var body = JSONObjectWriter(capacity: 1_024)
        if client.signsUserInfo {
            body.add("iss", issuer.description)
            body.add("aud", client.clientID)
        }
        body.add("sub", access.grant.subject)
        if let person = access.grant.claims {
            let scopes = access.token.scope.compactMap(StandardScope.init(rawValue:))
            let asked = access.grant.userInfoClaims
            body.add(claimsOf: person) { scopes.contains($0.scope) || asked.contains($0) }
        }
        guard client.signsUserInfo else { return .json(body.finish()) }
        var response = Response.json(Array(try await tokens.sign(body.finish()).utf8))
        response.headers.set("Content-Type", "application/jwt")
        return response
    }
}
