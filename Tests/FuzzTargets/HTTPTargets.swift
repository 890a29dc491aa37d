import HTTP

/// The head comes out the same in one piece and in many, and nothing in it can split a message.
func fuzzHTTPHead(_ input: [UInt8]) {
    let whole = input.withUnsafeBufferPointer { bytes in
        var parser = RequestParser()
        return parser.parse(bytes)
    }
    var inPieces = RequestParser.Outcome.incomplete
    var parser = RequestParser()
    input.withUnsafeBufferPointer { bytes in
        for end in cuts(input.count) {
            inPieces = parser.parse(UnsafeBufferPointer(rebasing: bytes[..<end]))
            guard case .incomplete = inPieces else { break }
        }
    }
    switch (whole, inPieces) {
    case (.incomplete, .incomplete): break
    case (.refused(let one), .refused(let other)): rule(one == other, "pieces change the refusal")
    case (.head(let one), .head(let other)):
        rule(one.size == other.size && one.size <= input.count, "pieces change the size")
        rule(
            one.method == other.method && one.path == other.path && one.query == other.query, "pieces change the target"
        )
        rule(one.framing == other.framing && one.keepsAlive == other.keepsAlive, "pieces change the framing")
        let (fields, otherFields) = (one.headers.fields, other.headers.fields)
        rule(fields.count == otherFields.count, "pieces change the fields")
        for (field, other) in zip(fields, otherFields) {
            rule(field == other, "pieces change a field")
            rule(!field.name.isEmpty, "a field without a name")
            for byte in field.value.utf8 { rule(byte >= 0x20 && byte != 0x7F || byte == 0x09, "a control in a value") }
            rule(field.value.first != " " && field.value.last != " ", "blanks around a value")
        }
        rule(one.path == "*" || one.path.utf8.first == UInt8(ascii: "/"), "a path without a slash")
        for byte in one.path.utf8 { rule(byte > 0x20 && byte < 0x7F, "a path with other than printable ASCII") }
        if case .chunked = one.framing {
            rule(one.headers["Content-Length"] == nil, "two framings")
        }
    default: rule(false, "pieces change the outcome")
    }
}

let httpHeadSeeds = [
    "GET / HTTP/1.1\r\nHost: id.example\r\n\r\n",
    "\r\nGET /a?b=%20 HTTP/1.1\r\nhost:id.example:8443\r\nConnection: close, TE\r\nX-Request-Id: abc\r\n\r\nGET",
    "POST /oauth/token HTTP/1.1\r\nHost: id.example\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\na=b",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
    "GET http://id.example/x HTTP/1.1\r\nHost: id.example\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: [::1]:80\r\nCookie: a=b; c=d\r\n\r\n",
    "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
].map(seed)

let httpHeadWords = [
    "\r\n", "\r\n\r\n", "\r", "\n", "\0", "\t", " ", ":", "HTTP/1.1", "HTTP/1.0", "GET ", "POST ", "Host: ",
    "Content-Length: ",
    "Transfer-Encoding: ", "chunked", "gzip, chunked", "Connection: ", "keep-alive", "close", "Expect: 100-continue",
    "18446744073709551616", "+1", "0x1", "%2", "%00", "http://", "[::1]", "*", "Upgrade: h2c", "X-Forwarded-For: ",
]

/// The body comes out the same in one piece and in many, and is never larger than allowed.
func fuzzChunkedBody(_ input: [UInt8]) {
    let limit = 1000
    var decoder = ChunkedDecoder()
    var body: [UInt8] = []
    let whole = input.withUnsafeBufferPointer { decoder.decode($0, into: &body, limit: limit) }
    rule(whole.consumed <= input.count && body.count <= limit, "more than there was")

    var again = ChunkedDecoder()
    var pieces: [UInt8] = []
    var consumed = 0
    var outcome = ChunkedDecoder.Outcome.incomplete
    input.withUnsafeBufferPointer { bytes in
        for end in cuts(input.count) {
            let part = UnsafeBufferPointer(rebasing: bytes[consumed..<end])
            let result = again.decode(part, into: &pieces, limit: limit)
            consumed += result.consumed
            outcome = result.outcome
            guard outcome == .incomplete else { break }
            rule(result.consumed == part.count, "bytes left though incomplete")
        }
    }
    rule(outcome == whole.outcome, "pieces change the outcome")
    rule(consumed == whole.consumed, "pieces change what is taken")
    rule(pieces == body, "pieces change the body")
}

let chunkedBodySeeds = [
    "0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\nGET", "A;x=y;z=\"q\"\r\n0123456789\r\n00\r\nTrailer: x\r\n\r\n", "3\nabc\n0\n\n",
    "-1\r\n",
    "ffffffffffffffff\r\n", "3e8\r\n", "3e9\r\n", "0x3\r\nabc\r\n", "3 \r\nabc\r\n0\r\n\r\n", "\r\n",
    "1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
].map(seed)
