import Testing

/// What arrives at the socket, and what must come back: one row for each shape that RFC 9112 rules on.
@Suite("Robustness of the request reader (RFC 9112)") struct RobustnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var wire: String
        var statuses: [Int]
        var staysOpen: Bool
        /// Of the first answer that is not 100.
        var body: String?
        var testDescription: String { name }

        init(_ name: String, _ wire: String, _ statuses: [Int], open: Bool = false, body: String? = nil) {
            self.name = name
            self.wire = wire
            self.statuses = statuses
            staysOpen = open
            self.body = body
        }
    }

    static func post(_ fields: String, _ rest: String = "abc", version: String = "1.1") -> String {
        "POST /echo HTTP/\(version)\r\nHost: localhost\r\n\(fields)\r\n\r\n\(rest)"
    }
    static func get(_ fields: String, target: String = "/static") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }
    static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

    static let framing: [Row] = [
        Row("CL and TE", post("Content-Length: 3\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("TE and CL", post("Transfer-Encoding: chunked\r\nContent-Length: 3", "3\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("two CL that differ", post("Content-Length: 3\r\nContent-Length: 4"), [400]),
        Row("two CL that agree", post("Content-Length: 3\r\nContent-Length: 3"), [400]),
        Row("CL list", post("Content-Length: 3, 3"), [400]),
        Row("CL +3", post("Content-Length: +3"), [400]),
        Row("CL -1", post("Content-Length: -1"), [400]),
        Row("CL 0x3", post("Content-Length: 0x3"), [400]),
        Row("CL 3abc", post("Content-Length: 3abc"), [400]),
        Row("CL empty", post("Content-Length:"), [400]),
        Row("CL 20 digits", post("Content-Length: 99999999999999999999"), [400]),
        Row("TE xchunked", post("Transfer-Encoding: xchunked", "3\r\nabc\r\n0\r\n\r\n"), [501]),
        Row("TE identity", post("Transfer-Encoding: identity"), [501]),
        Row("TE chunked, identity", post("Transfer-Encoding: chunked, identity"), [501]),
        Row("TE gzip, chunked", post("Transfer-Encoding: gzip, chunked"), [501]),
        Row("TE twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), [400]),
        Row("TE with blank before colon", post("Transfer-Encoding : chunked", "3\r\nabc\r\n0\r\n\r\n"), [400]),
        Row(
            "TE after tab in its value", post("Transfer-Encoding: \tchunked", "0\r\n\r\n"), [200], open: true, body: ""),
        Row("TE with 0x0B", post("Transfer-Encoding: \u{0B}chunked", "0\r\n\r\n"), [400]),
        Row("TE in HTTP/1.0", post("Transfer-Encoding: chunked", "0\r\n\r\n", version: "1.0"), [400]),
        Row("TE in capitals", post("transfer-encoding: CHUNKED", "0\r\n\r\n"), [200], open: true, body: ""),
        Row("chunked", chunked("3\r\nabc\r\n0\r\n\r\n"), [200], open: true, body: "abc"),
        Row("two chunks", chunked("1\r\na\r\n02\r\nbc\r\n000\r\n\r\n"), [200], open: true, body: "abc"),
        Row(
            "chunk extension and trailer", chunked("3;a=b ;c=\"d\"\r\nabc\r\n0;e\r\nX: y\r\nZ:\r\n\r\n"), [200],
            open: true,
            body: "abc"),
        Row(
            "chunk size with blank before extension", chunked("3 ;a\r\nabc\r\n0\r\n\r\n"), [200], open: true,
            body: "abc"),
        Row("chunk size 0x3", chunked("0x3\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size -1", chunked("-1\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size after blank", chunked(" 3\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size before blank", chunked("3 \r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size with 17 digits", chunked("FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size xyz", chunked("xyz\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk size missing", chunked("\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk lines with LF", chunked("3\nabc\n0\n\n"), [400]),
        Row("chunk extension with bare LF", chunked("3;a\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk extension with bare CR", chunked("3;a\rb\r\nabc\r\n0\r\n\r\n"), [400]),
        Row("chunk longer than its size", chunked("3\r\nabcd\r\n0\r\n\r\n"), [400]),
        Row("chunk data without CRLF", chunked("3\r\nabc0\r\n\r\n"), [400]),
        Row("trailer without colon", chunked("0\r\nabc\r\n\r\n"), [400]),
        Row("trailer with fold", chunked("0\r\na: b\r\n c\r\n\r\n"), [400]),
        Row("trailer with bare LF", chunked("0\r\na: b\n\r\n"), [400]),
        Row("GET with body", get("Content-Length: 3\r\n") + "abc" + get(""), [200, 200], open: true, body: "ok"),
    ]

    static let fields: [Row] = [
        Row("header lines with LF", "GET /static HTTP/1.1\nHost: localhost\n\n", [400]),
        Row("one header line with LF", get("A: b\nC: d\r\n"), [400]),
        Row("bare CR in value", get("A: b\rc\r\n"), [400]),
        Row("obs-fold", get("A: b\r\n c\r\n"), [400]),
        Row("fold before the first header", "GET /static HTTP/1.1\r\n A: b\r\nHost: localhost\r\n\r\n", [400]),
        Row("blank before colon", get("A : b\r\n"), [400]),
        Row("no colon", get("Abc\r\n"), [400]),
        Row("empty name", get(": b\r\n"), [400]),
        Row("NUL in value", get("A: b\0c\r\n"), [400]),
        Row("DEL in value", get("A: b\u{7F}c\r\n"), [400]),
        Row("control character in name", get("A\u{01}: b\r\n"), [400]),
        Row("not ASCII in name", get("Ä: b\r\n"), [400]),
        Row("not ASCII in value", get("A: ü\r\n"), [200], open: true),
        Row("empty value", get("A:\r\nB: \r\n"), [200], open: true),
        Row("no Host", "GET /static HTTP/1.1\r\n\r\n", [400]),
        Row("two Hosts", get("Host: localhost\r\n"), [400]),
        Row("two Hosts in HTTP/1.0", "GET /static HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", [400]),
        Row("HTTP/1.0 without Host", "GET /static HTTP/1.0\r\n\r\n", [200]),
        Row("HTTP/1.0 keep-alive", "GET /static HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", [200]),
        Row("Connection: close", get("Connection: close\r\n"), [200]),
        Row("Connection: keep-alive", get("Connection: keep-alive\r\n"), [200], open: true),
        Row("close in a list", get("Connection: a ,, CLOSE\t, b\r\n"), [200]),
        Row("close in a second Connection", get("Connection: keep-alive\r\nConnection: close\r\n"), [200]),
        Row("a token that only begins with close", get("Connection: closed\r\n"), [200], open: true),
        Row("Connection that is no token list", get("Connection: a b\r\n"), [400]),
        Row("Expect: 100-continue", post("Content-Length: 3\r\nExpect: 100-continue", ""), [100]),
        Row("Expect: bogus", post("Content-Length: 3\r\nExpect: bogus"), [417]),
        Row(
            "Expect in HTTP/1.0 is ignored", post("Content-Length: 3\r\nExpect: 100-continue", version: "1.0"), [200],
            body: "abc"),
        Row(
            "Expect with the body there", post("Content-Length: 3\r\nExpect: 100-continue"), [200], open: true,
            body: "abc"),
        Row("100 kB header", get("A: \(String(repeating: "b", count: 100_000))\r\n"), [431]),
        Row("2000 headers", get(String(repeating: "A: b\r\n", count: 2000)), [431]),
        Row("100 headers", get(String(repeating: "A: b\r\n", count: 99)), [200], open: true),
        Row("101 headers", get(String(repeating: "A: b\r\n", count: 100)), [431]),
    ]

    static let lines: [Row] = [
        Row("HTTP/2.0", "GET /static HTTP/2.0\r\nHost: localhost\r\n\r\n", [505]),
        Row("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]),
        Row("HTTP/1.2", "GET /static HTTP/1.2\r\nHost: localhost\r\n\r\n", [200], open: true),
        Row("HTTP/1.1x", "GET /static HTTP/1.1x\r\nHost: localhost\r\n\r\n", [400]),
        Row("HTTP/1.10", "GET /static HTTP/1.10\r\nHost: localhost\r\n\r\n", [400]),
        Row("http/1.1", "GET /static http/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("HTTP/0.9 style", "GET /static\r\n\r\n", [400]),
        Row("two blanks before target", "GET  /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("two blanks before version", "GET /static  HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("blank behind version", "GET /static HTTP/1.1 \r\nHost: localhost\r\n\r\n", [400]),
        Row("tab for blank", "GET\t/static HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("blank before method", " GET /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("blank in target", get("", target: "/sta tic"), [400]),
        Row("NUL in target", get("", target: "/sta\0tic"), [400]),
        Row("not ASCII in target", get("", target: "/stätic"), [400]),
        Row("fragment in target", get("", target: "/static#a"), [400]),
        Row("no slash", get("", target: "static"), [400]),
        Row("asterisk for GET", get("", target: "*"), [400]),
        Row("one leading CRLF", "\r\n" + get(""), [200], open: true),
        Row("two leading CRLFs", "\r\n\r\n" + get(""), [400]),
        Row("leading LF", "\n" + get(""), [400]),
        Row("three pipelined", get("") + get("") + get(""), [200, 200, 200], open: true),
        Row("POST and GET pipelined", post("Content-Length: 3") + get(""), [200, 200], open: true, body: "abc"),
        Row("CRLF behind a body", post("Content-Length: 3", "abc\r\n") + get(""), [200, 200], open: true, body: "abc"),
        Row("absolute-form", get("", target: "http://localhost/static"), [200], open: true),
        Row("absolute-form in capitals", get("", target: "HTTPS://localhost:443/static"), [200], open: true),
        Row(
            "absolute-form beside another Host", get("", target: "http://other/host"), [200], open: true, body: "other"),
        Row("absolute-form without path", get("", target: "http://localhost"), [404], open: true, body: "no GET /"),
        Row(
            "absolute-form with query only", get("", target: "http://localhost?a"), [404], open: true, body: "no GET /"),
        Row("absolute-form without authority", get("", target: "http:///static"), [400]),
        Row("absolute-form with user", get("", target: "http://a@localhost/static"), [400]),
        Row("absolute-form with bad port", get("", target: "http://localhost:65536/static"), [400]),
        Row("absolute-form with another scheme", get("", target: "ftp://localhost/static"), [400]),
        Row("authority-form", get("", target: "localhost:80"), [400]),
        Row("CONNECT", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", [501]),
        Row("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", [204], open: true),
        Row("OPTIONS without CORS", "OPTIONS /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [405], open: true),
        Row("TRACE", "TRACE /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [405], open: true),
        Row("PATCH", "PATCH /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [405], open: true),
        Row("unknown method", "FOO /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [405], open: true),
        Row("lower-case method", "get /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [405], open: true),
        Row("method with @", "G@T /static HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        Row("method of 33 characters", "\(String(repeating: "A", count: 33)) / HTTP/1.1\r\n\r\n", [501]),
        Row("%zz", get("", target: "/%zz"), [400]),
        Row("%", get("", target: "/%"), [400]),
        Row("%4", get("", target: "/%4"), [400]),
        Row("% in query", get("", target: "/query?a=100%"), [400]),
        Row("%00", get("", target: "/a%00b"), [404], open: true, body: "no GET /a%00b"),
        Row("dot segments", get("", target: "/a/../static"), [404], open: true, body: "no GET /a/../static"),
        Row("second question mark", get("", target: "/query?a?b"), [200], open: true, body: "a?b"),
        Row("empty query", get("", target: "/query?"), [200], open: true, body: ""),
        Row(
            "browser's query", get("", target: "/query?a={\"b\"|c}^`<>\\"), [200], open: true, body: "a={\"b\"|c}^`<>\\"
        ),
        Row("100 kB target", get("", target: "/" + String(repeating: "a", count: 100_000)), [414]),
        Row(
            "target of 14 kB", get("", target: "/query?" + String(repeating: "a", count: 14 * 1024 - 7)), [200],
            open: true),
        Row("target of 14 kB and 1", get("", target: "/query?" + String(repeating: "a", count: 14 * 1024 - 6)), [414]),
        Row("10 MB by CL", post("Content-Length: 10485760", ""), [413]),
        Row("64 kB by CL", post("Content-Length: 65536", String(repeating: "a", count: 65536)), [200], open: true),
        Row("64 kB and 1 by CL", post("Content-Length: 65537", ""), [413]),
        Row(
            "64 kB chunked", chunked("10000\r\n\(String(repeating: "a", count: 65536))\r\n0\r\n\r\n"), [200], open: true
        ),
        Row("64 kB and 1 chunked", chunked("10001\r\n"), [413]),
        Row(
            "64 kB and 1 in two chunks",
            chunked("10000\r\n\(String(repeating: "a", count: 65536))\r\n1\r\n"), [413]),
        Row("TLS on the plain port", "\u{16}\u{03}\u{01}\u{02}\0\u{01}\0", [400]),
    ]

    @Test("Framing of bodies (§6, §7)", arguments: framing) func bodies(row: Row) throws { try check(row) }
    @Test("Header fields (§3.2, §5)", arguments: fields) func headerFields(row: Row) throws { try check(row) }
    @Test("Request lines and sizes (§2, §3)", arguments: lines) func requestLines(row: Row) throws { try check(row) }

    @Test("Cutting the bytes anywhere changes nothing", arguments: framing + fields + lines)
    func pieces(row: Row) throws {
        guard row.wire.utf8.count < 2000, !row.name.hasPrefix("Expect with the body") else { return }
        try check(row) { client in client.sendByteByByte(row.wire) }
    }

    private func check(_ row: Row, send: ((HTTPTestClient) -> Void)? = nil) throws {
        let client = try Self.server.client()
        if let send { send(client) } else { client.send(row.wire) }
        var body: String?
        for status in row.statuses {
            let answer = try client.receive()
            #expect(answer.status == status)
            if status != 100 && body == nil { body = answer.text }
        }
        if let expected = row.body { #expect(body == expected) }
        if row.statuses == [100] {
            client.send("abc")
            let answer = try client.receive()
            #expect(answer.status == 200 && answer.text == "abc")
        } else if row.staysOpen {
            #expect(try client.get("/static").status == 200)
        } else {
            #expect(try client.isClosedByServer())
        }
    }

    /// Lives as long as the process: its one connection a row is independent of the others.
    private static var server: TestServer { SharedServer.plain }
}
