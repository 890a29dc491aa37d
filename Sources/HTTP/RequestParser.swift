import ASCII

/// Reads the head of an HTTP/1.1 request, strictly, however it is cut into pieces.
///
/// A value without I/O: it is given all bytes since the head began, again and again with more of them, and goes on
/// where it stopped, so each byte is looked at once. What RFC 9112 says must be refused is refused, and so is what it
/// merely allows to be mended (bare LF, obs-fold, blanks before the colon): mending is where two readers begin to disagree
/// about where a request ends.
package struct RequestParser: Sendable {
    package struct Limits: Sendable {
        package var head: Int
        package var target: Int
        package var fieldCount: Int

        package init(head: Int = 16 * 1024, target: Int = 14 * 1024, fieldCount: Int = 100) {
            self.head = head
            self.target = target
            self.fieldCount = fieldCount
        }
    }

    package enum Outcome: Sendable {
        case incomplete
        case head(RequestHead)
        case refused(Refusal)
    }

    private enum State {
        case start, leadingLineFeed, method, target, version
        case fieldStart, fieldName, valueStart, value, valueLineFeed, lastLineFeed
    }

    /// No registered method is longer than 17 characters.
    private static let methodLimit = 32

    private let limits: Limits
    private var state = State.start
    /// Where to go on.
    private var position = 0
    private var start = 0
    private var method = 0..<0
    private var target = 0..<0
    private var major: UInt8 = 0
    private var minor: UInt8 = 0
    private var fieldName = 0..<0
    private var valueEnd = 0
    private var fields: [Headers.Field] = []
    private var noted = NotedFields()

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether a byte of the head has come.
    package var hasBegun: Bool { position > 0 }

    /// - Parameter bytes: everything since the head began, with what came before in place.
    package mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Outcome {
        let end = min(bytes.count, limits.head)
        do throws(Refusal) {
            while position < end {
                if try step(bytes, end) { return .head(try finish(bytes)) }
            }
        } catch {
            return .refused(error)
        }
        if bytes.count < limits.head { return .incomplete }
        return .refused(state == .target ? Self.targetTooLong : Refusal(431, "head too large"))
    }

    private static let targetTooLong = Refusal(414, "target too long")

    /// Goes through the current element as far as there are bytes. True at the end of the head.
    private mutating func step(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) -> Bool {
        switch state {
        case .start:
            // RFC 9112 §2.2: one empty line before the request line is ignored.
            if bytes[position] == ASCII.carriageReturn {
                position += 1
                state = .leadingLineFeed
            } else {
                state = .method
            }
        case .leadingLineFeed:
            try expectLineFeed(bytes)
            start = position
            state = .method
        case .method: try readMethod(bytes, end)
        case .target: try readTarget(bytes, end)
        case .version: try readVersion(bytes, end)
        case .fieldStart:
            if bytes[position] == ASCII.carriageReturn {
                position += 1
                state = .lastLineFeed
            } else {
                if fields.count >= limits.fieldCount { throw Refusal(431, "too many header fields") }
                start = position
                state = .fieldName
            }
        case .fieldName: try readFieldName(bytes, end)
        case .valueStart:
            while position < end && ASCII.isBlank(bytes[position]) { position += 1 }
            if position < end {
                start = position
                state = .value
            }
        case .value: try readValue(bytes, end)
        case .valueLineFeed:
            try expectLineFeed(bytes)
            try endField(bytes)
            state = .fieldStart
        case .lastLineFeed:
            try expectLineFeed(bytes)
            return true
        }
        return false
    }

    private mutating func expectLineFeed(_ bytes: UnsafeBufferPointer<UInt8>) throws(Refusal) {
        guard bytes[position] == ASCII.lineFeed else { throw Refusal(400, "bare CR") }
        position += 1
    }

    // MARK: Request line (RFC 9112 §3)

    private mutating func readMethod(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) {
        while position < end && ASCII.isToken(bytes[position]) { position += 1 }
        if position - start > Self.methodLimit { throw Refusal(501, "method too long") }
        if position == end { return }
        guard bytes[position] == ASCII.space, position > start else { throw Refusal(400, "bad method") }
        method = start..<position
        position += 1
        start = position
        state = .target
    }

    private mutating func readTarget(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) {
        while position < end && ASCII.isTarget(bytes[position]) { position += 1 }
        if position - start > limits.target { throw Self.targetTooLong }
        if position == end { return }
        guard bytes[position] == ASCII.space, position > start else { throw Refusal(400, "bad target") }
        target = start..<position
        position += 1
        start = position
        state = .version
    }

    private mutating func readVersion(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) {
        while position < end {
            let byte = bytes[position]
            let isRight =
                switch position - start {
                case 0: byte == UInt8(ascii: "H")
                case 1, 2: byte == UInt8(ascii: "T")
                case 3: byte == UInt8(ascii: "P")
                case 4: byte == UInt8(ascii: "/")
                case 5, 7: ASCII.isDigit(byte)
                case 6: byte == UInt8(ascii: ".")
                case 8: byte == ASCII.carriageReturn
                default: byte == ASCII.lineFeed
                }
            guard isRight else { throw Refusal(400, "bad version") }
            position += 1
            guard position - start == 10 else { continue }
            major = bytes[start + 5] - 0x30
            minor = bytes[start + 7] - 0x30
            guard major == 1 else { throw Refusal(505, "version not supported") }
            fields.reserveCapacity(16)
            state = .fieldStart
            return
        }
    }

    // MARK: Header fields (RFC 9112 §5)

    private mutating func readFieldName(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) {
        while position < end && ASCII.isToken(bytes[position]) { position += 1 }
        if position == end { return }
        // Also what a folded line or a blank before the colon comes to (§5.1, §5.2).
        guard bytes[position] == UInt8(ascii: ":"), position > start else { throw Refusal(400, "bad header name") }
        fieldName = start..<position
        position += 1
        state = .valueStart
    }

    private mutating func readValue(_ bytes: UnsafeBufferPointer<UInt8>, _ end: Int) throws(Refusal) {
        while position < end && ASCII.isFieldValue(bytes[position]) { position += 1 }
        if position == end { return }
        guard bytes[position] == ASCII.carriageReturn else { throw Refusal(400, "bad header value") }
        valueEnd = position
        position += 1
        state = .valueLineFeed
    }

    private mutating func endField(_ bytes: UnsafeBufferPointer<UInt8>) throws(Refusal) {
        while valueEnd > start && ASCII.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
        fields.append(
            Headers.Field(
                nameStart: UInt32(fieldName.lowerBound), nameEnd: UInt32(fieldName.upperBound),
                valueStart: UInt32(start), valueEnd: UInt32(valueEnd)))
        try noted.note(
            UnsafeBufferPointer(rebasing: bytes[fieldName]), UnsafeBufferPointer(rebasing: bytes[start..<valueEnd]),
            minor: minor)
    }

    // MARK: The whole

    private mutating func finish(_ bytes: UnsafeBufferPointer<UInt8>) throws(Refusal) -> RequestHead {
        // RFC 9112 §3.2: exactly one Host in HTTP/1.1, at most one before.
        if noted.hostCount != 1 && (minor > 0 || noted.hostCount > 1) { throw Refusal(400, "not one Host") }
        let method = Method(UnsafeBufferPointer(rebasing: bytes[method]))
        let target = try RequestTarget(UnsafeBufferPointer(rebasing: bytes[target]), method: method)
        var headers = Headers(bytes: Array(bytes[0..<position]), places: fields)
        fields = []
        // RFC 9112 §3.2.2: the authority of an absolute target replaces Host.
        if let authority = target.authority { headers.set("Host", authority) }
        return RequestHead(
            method: method, path: target.path, query: target.query, headers: headers,
            framing: try noted.framing(minor: minor), expectsContinue: noted.expectsContinue,
            keepsAlive: minor > 0 && !noted.closes, requestID: noted.requestID, size: position)
    }
}
