/// An answer. The server adds Date, Content-Length, Connection, X-Request-Id and the route's CORS fields.
public struct Response: Sendable {
    /// 200 to 599.
    public var status: Int
    public var headers: Headers
    public var body: [UInt8]

    public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// `application/json`; `Cache-Control: no-store` unless another value is given.
    public static func json(status: Int = 200, _ body: [UInt8], cacheControl: String = "no-store") -> Response {
        let headers = Headers([("Content-Type", "application/json"), ("Cache-Control", cacheControl)])
        return Response(status: status, headers: headers, body: body)
    }

    /// Sends the browser to `location`; not to be stored.
    public static func redirect(_ location: String, status: Int = 303) -> Response {
        Response(status: status, headers: Headers([("Location", location), ("Cache-Control", "no-store")]))
    }

    /// `text/plain; charset=utf-8`, no-store.
    public static func text(status: Int, _ text: String) -> Response {
        let headers = Headers([("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")])
        return Response(status: status, headers: headers, body: Array(text.utf8))
    }
}
