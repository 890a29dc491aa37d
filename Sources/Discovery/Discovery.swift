import HTTP
import JSON
import OpenID

/// The provider's metadata (Discovery 1.0 §4, RFC 8414 §3), computed from what is mounted, so that it cannot lie.
public struct Discovery: Sendable {
    private static let maxAge: Int64 = 300

    private let issuer: Issuer
    private let document: CacheableDocument

    /// - Parameter metadata: what each mounted feature says of itself.
    public init(issuer: Issuer, metadata: [JSON.Member]) {
        self.issuer = issuer
        document = CacheableDocument(
            JSON.object([.init("issuer", .string(issuer.description))] + metadata).serialized(), maxAge: Self.maxAge)
    }

    /// Below the issuer's path, as Discovery 1.0 §4 has it.
    public var routes: [Route] {
        [route("/.well-known/openid-configuration"), route("/.well-known/oauth-authorization-server")]
    }

    /// Between host and path, as RFC 8414 §3.1 has it: to be mounted as they stand, not below the issuer's path. Empty for an
    /// issuer without a path, where both forms are the same.
    public var rootRoutes: [Route] {
        guard !issuer.path.isEmpty else { return [] }
        return [
            route("/.well-known/oauth-authorization-server" + issuer.path),
            route("/.well-known/openid-configuration" + issuer.path),
        ]
    }

    private func route(_ path: String) -> Route {
        Route(.get, path, cors: .anyOrigin) { request in document.response(to: request) }
    }
}
