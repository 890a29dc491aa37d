import HTTP
import JSON
import OpenID
import RequestAuthentication
import Storage

/// Whether the sign-in behind an access token still stands, and if not, why. What could not be found out is 503, so that it
/// is never read as "signed out".
public struct SessionContext: Sendable {
    private static let path = "/v1/session/context"

    private let issuer: Issuer
    private let endpoint: BearerEndpoint

    public init(issuer: Issuer, authentication: BearerAuthentication, switches: Switches, audit: AuditStore) {
        self.issuer = issuer
        endpoint = BearerEndpoint(
            .sessionContext, authentication: authentication, switches: switches, audit: audit,
            refusal: .sessionContextRefused, logName: "session_context.refused")
    }

    public var routes: [Route] { [Route(.get, Self.path, cors: .anyOrigin) { await answer($0) }] }

    /// What discovery says of this endpoint: a member of our own, as RFC 8414 §2 allows.
    public var metadata: [JSON.Member] { [.init("session_context_endpoint", .string(issuer.url(Self.path)))] }

    private func answer(_ request: Request) async -> Response {
        await endpoint.answer(request, adding: reason) { .json(context(of: $0)) }
    }

    private func reason(_ refusal: BearerRefusal) -> [JSON.Member] {
        Reason(refusal).map { [.init("reason", .string($0.rawValue))] } ?? []
    }

    /// Times in Unix seconds.
    private func context(of access: BearerAccess) -> [UInt8] {
        let grant = access.grant
        var body = JSONObjectWriter(capacity: 512)
        body.add("active", true)
        body.add("sub", grant.subject)
        body.add("sid", grant.sid)
        body.add("client_id", grant.clientID)
        body.add("scope", access.token.scope.joined(separator: " "))
        body.add("auth_time", grant.authTime)
        body.add("acr", grant.acr)
        body.add("amr", grant.amr)
        body.add("session_expires_at", grant.endsAt)
        body.add("reauthenticate_by", grant.expiresAt)
        body.add("idle_expires_at", grant.idleExpiresAt)
        return body.finish()
    }
}
