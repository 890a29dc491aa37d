/// Whether other origins' scripts may read a route's answers (Fetch standard).
public enum CORS: Sendable {
    case none
    /// `Access-Control-Allow-Origin: *`, also on errors, and preflights are answered (RFC 9700 §2.6). No credentials.
    case anyOrigin
}

/// One method of one path. GET routes also answer HEAD.
public struct Route: Sendable {
    public typealias Handler = @Sendable (Request) async throws -> Response
    public let method: Method
    public var path: String
    public let cors: CORS
    public let handler: Handler

    public init(_ method: Method, _ path: String, cors: CORS = .none, handler: @escaping Handler) {
        self.method = method
        self.path = path
        self.cors = cors
        self.handler = handler
    }
}
