/// Request line and header fields, read and found right.
package struct RequestHead: Sendable {
    /// How the end of the body is found (RFC 9112 §6.3).
    package enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    package var method: Method
    package var path: String
    package var query: String?
    package var headers: Headers
    package var framing: Framing
    /// `Expect: 100-continue` from an HTTP/1.1 client.
    package var expectsContinue: Bool
    /// Whether the client lets the connection live on.
    package var keepsAlive: Bool
    /// The client's `X-Request-Id`, if it is one we take over.
    package var requestID: String?
    /// How many bytes the head took.
    package var size: Int
}

/// Why the bytes of a client are no request. After one, the connection ends: where the next request would begin is unknown.
package struct Refusal: Error, Sendable, Equatable {
    package let status: Int
    /// For the log; made of literals only, never of what was sent.
    package let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
