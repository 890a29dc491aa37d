import ASCII

/// What the connection itself needs from the header fields, gathered while they are read.
struct NotedFields: Sendable {
    private(set) var hostCount = 0
    private(set) var expectsContinue = false
    /// A `Connection` list held `close`.
    private(set) var closes = false
    private(set) var requestID: String?
    private var contentLength: Int?
    private var isChunked = false

    mutating func note(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, minor: UInt8
    ) throws(Refusal) {
        switch name.count {
        case 4 where ASCII.equal(name, "host"):
            hostCount += 1
            guard Authority.isValid(value) else { throw Refusal(400, "bad Host") }
        case 6 where ASCII.equal(name, "expect"):
            // RFC 9110 §10.1.1: no meaning in HTTP/1.0.
            guard minor > 0 else { break }
            guard ASCII.equal(value, "100-continue") else { throw Refusal(417, "unknown expectation") }
            expectsContinue = true
        case 10 where ASCII.equal(name, "connection"): try noteConnection(value)
        case 12 where ASCII.equal(name, "x-request-id"):
            if requestID == nil && RequestID.isAcceptable(value) { requestID = String(ascii: value) }
        case 14 where ASCII.equal(name, "content-length"): try noteContentLength(value)
        case 17 where ASCII.equal(name, "transfer-encoding"):
            if isChunked { throw Refusal(400, "two Transfer-Encodings") }
            guard ASCII.equal(value, "chunked") else { throw Refusal(501, "unknown transfer coding") }
            isChunked = true
        default: break
        }
    }

    /// RFC 9112 §6.3. Both framings at once, or chunked from an HTTP/1.0 client, is how requests are smuggled.
    func framing(minor: UInt8) throws(Refusal) -> RequestHead.Framing {
        if isChunked {
            if contentLength != nil { throw Refusal(400, "two framings") }
            if minor == 0 { throw Refusal(400, "chunked in HTTP/1.0") }
            return .chunked
        }
        guard let contentLength, contentLength > 0 else { return .none }
        return .length(contentLength)
    }

    /// A list of tokens (RFC 9110 §7.6.1).
    private mutating func noteConnection(_ value: UnsafeBufferPointer<UInt8>) throws(Refusal) {
        var areTokens = true
        var isClose = false
        ASCII.forEachListElement(value) { option in
            if !option.allSatisfy(ASCII.isToken) { areTokens = false }
            if ASCII.equal(option, "close") { isClose = true }
        }
        guard areTokens else { throw Refusal(400, "bad Connection") }
        if isClose { closes = true }
    }

    private mutating func noteContentLength(_ value: UnsafeBufferPointer<UInt8>) throws(Refusal) {
        if contentLength != nil { throw Refusal(400, "two Content-Lengths") }
        // 15 digits hold more than any limit and cannot overflow.
        guard !value.isEmpty, value.count <= 15, value.allSatisfy(ASCII.isDigit) else {
            throw Refusal(400, "bad Content-Length")
        }
        contentLength = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
