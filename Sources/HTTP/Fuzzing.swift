import ASCII

/// Entry points for fuzzers. They trap when a rule of the readers is broken, and return otherwise.
package enum Fuzzing {
    /// Reads a head in one piece and cut in two, and demands the same outcome.
    package static func head(_ bytes: UnsafeBufferPointer<UInt8>) {
        var whole = RequestParser()
        let expected = whole.parse(bytes)
        if case .head(let head) = expected { check(head, bytes.count) }
        var cut = RequestParser()
        var outcome = cut.parse(UnsafeBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
        if case .incomplete = outcome { outcome = cut.parse(bytes) }
        switch (expected, outcome) {
        case (.incomplete, .incomplete): break
        case (.refused(let a), .refused(let b)): precondition(a == b)
        case (.head(let a), .head(let b)):
            precondition(a.size == b.size && a.path == b.path && a.query == b.query && a.framing == b.framing)
        default: preconditionFailure("the outcome depends on how the bytes are cut")
        }
    }

    private static func check(_ head: RequestHead, _ available: Int) {
        precondition(head.size <= available && head.size <= 16 * 1024)
        precondition(head.path == "*" || head.path.utf8.first == UInt8(ascii: "/"))
        precondition(head.path.utf8.allSatisfy(ASCII.isTarget))
        for field in head.headers.fields {
            precondition(!field.name.isEmpty && field.name.utf8.allSatisfy(ASCII.isToken))
            precondition(field.value.utf8.allSatisfy(ASCII.isFieldValue))
        }
    }

    /// Decodes a chunked body in one piece and cut in two, and demands the same outcome.
    package static func chunkedBody(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int = 1024) {
        var whole = ChunkedDecoder()
        var body: [UInt8] = []
        let expected = whole.decode(bytes, into: &body, limit: limit)
        precondition(body.count <= limit && expected.consumed <= bytes.count)
        precondition(expected.outcome != .incomplete || expected.consumed == bytes.count)

        var cut = ChunkedDecoder()
        var cutBody: [UInt8] = []
        let middle = bytes.count / 2
        var outcome = cut.decode(UnsafeBufferPointer(rebasing: bytes[..<middle]), into: &cutBody, limit: limit)
        if outcome.outcome == .incomplete {
            outcome = cut.decode(UnsafeBufferPointer(rebasing: bytes[middle...]), into: &cutBody, limit: limit)
            outcome.consumed += middle
        }
        precondition(outcome == expected && body == cutBody)
    }
}
