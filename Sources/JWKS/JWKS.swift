import HTTP
import Issuance
import JOSE
import JSON
import OpenID

/// The public signing keys (RFC 7517 §5), served from memory, also while the database is away.
public struct JWKS: Sendable {
    private static let path = "/.well-known/jwks.json"

    private let issuer: Issuer
    private let keyRing: KeyRing

    public init(issuer: Issuer, keyRing: KeyRing) {
        self.issuer = issuer
        self.keyRing = keyRing
    }

    public var routes: [Route] {
        [Route(.get, Self.path, cors: .anyOrigin) { request in answer(request) }]
    }

    public var metadata: [JSON.Member] { [.init("jwks_uri", .string(issuer.url(Self.path)))] }

    private func answer(_ request: Request) -> Response {
        let keys = keyRing.published()
        guard !keys.isEmpty else {
            // Not yet known: this must not be cached as "no keys".
            var response = Response.text(status: 503, "the keys are not loaded yet")
            response.headers.set("Retry-After", "2")
            return response
        }
        let body = JSON.object([.init("keys", .array(keys.map(\.json)))]).serialized()
        return CacheableDocument(body, maxAge: KeyAdministration.jwksMaxAge).response(to: request)
    }
}
