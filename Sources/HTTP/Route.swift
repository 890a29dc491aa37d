/// Whether other origins' scripts may read a route's answers (Fetch standard).
public enum CORS: Sendable {
    case none
    /// `Access-Control-Allow-Origin: *`, also on errors, and preflights are answered (RFC 9700 §2.6). No credentials.
    case anyOrigin
}

/// One method of one path. GET routes also answer HEAD.
///
/// A segment of the path in braces, as in `/things/{id}`, takes any one segment, and hands it on percent-decoded as
/// `request.pathParameters["id"]`.
public struct Route: Sendable {
    public typealias Handler = @Sendable (Request) async throws -> Response
    public let method: Method
    public var path: String
    public let cors: CORS
    public let handler: Handler
    /// Asked at each request; while it says no, the path is unknown: 404 for every method, without CORS fields. nil: always
    /// there. The routes of one path have the same.
    public var isThere: (@Sendable () async throws -> Bool)?

    public init(_ method: Method, _ path: String, cors: CORS = .none, handler: @escaping Handler) {
        self.method = method
        self.path = path
        self.cors = cors
        self.handler = handler
    }
}
