import ASCII

/// The target of a request line (RFC 9112 §3.2): origin-form, absolute-form, or "*" for OPTIONS.
struct RequestTarget {
    let path: String
    let query: String?
    /// Of an absolute-form.
    let authority: String?

    /// - Parameter bytes: printable ASCII without blanks and "#".
    init(_ bytes: UnsafeBufferPointer<UInt8>, method: Method) throws(Refusal) {
        var rest = bytes
        if bytes[0] == UInt8(ascii: "/") {
            authority = nil
        } else if bytes.count == 1 && bytes[0] == UInt8(ascii: "*") && method == .options {
            (path, query, authority) = ("*", nil, nil)
            return
        } else {
            // RFC 9110 §9.3.6: CONNECT has an authority for a target; it asks for a tunnel, which there is none of.
            if method == .other("CONNECT") { throw Refusal(501, "CONNECT") }
            guard let length = Self.schemeLength(bytes) else { throw Refusal(400, "bad target form") }
            rest = UnsafeBufferPointer(rebasing: bytes[length...])
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.count
            let host = UnsafeBufferPointer(rebasing: rest[..<end])
            guard Authority.isValid(host) else { throw Refusal(400, "bad authority") }
            authority = String(ascii: host)
            rest = UnsafeBufferPointer(rebasing: rest[end...])
        }
        let questionMark = try Self.checkEscapes(rest)
        let pathBytes = UnsafeBufferPointer(rebasing: rest[..<(questionMark ?? rest.count)])
        path = pathBytes.isEmpty ? "/" : String(ascii: pathBytes)
        query = questionMark.map { String(ascii: UnsafeBufferPointer(rebasing: rest[($0 + 1)...])) }
    }

    private static func schemeLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        if bytes.count > 7 && ASCII.equal(UnsafeBufferPointer(rebasing: bytes[..<7]), "http://") { return 7 }
        if bytes.count > 8 && ASCII.equal(UnsafeBufferPointer(rebasing: bytes[..<8]), "https://") { return 8 }
        return nil
    }

    /// Every "%" is followed by two hex digits.
    /// - Returns: the index of the first "?".
    private static func checkEscapes(_ bytes: UnsafeBufferPointer<UInt8>) throws(Refusal) -> Int? {
        var questionMark: Int?
        for index in 0..<bytes.count {
            if bytes[index] == UInt8(ascii: "?") {
                if questionMark == nil { questionMark = index }
            } else if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else { throw Refusal(400, "bad percent-encoding") }
            }
        }
        return questionMark
    }
}
