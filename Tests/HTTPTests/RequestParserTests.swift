import JSON
import SeededRandom
import Testing

@testable import HTTP

@Suite("Request heads as values (RFC 9112)") struct RequestParserTests {
    private func parse(_ bytes: [UInt8], _ limits: RequestParser.Limits = .init()) -> RequestParser.Outcome {
        var parser = RequestParser(limits: limits)
        return bytes.withUnsafeBufferPointer { parser.parse($0) }
    }

    private func head(_ text: String) throws -> RequestHead {
        guard case .head(let head) = parse(Array(text.utf8)) else {
            Issue.record("not accepted: \(text)")
            throw Refusal(400, "not accepted")
        }
        return head
    }

    private func status(_ bytes: [UInt8], _ limits: RequestParser.Limits = .init()) -> Int? {
        switch parse(bytes, limits) {
        case .incomplete: nil
        case .head: 200
        case .refused(let refusal): refusal.status
        }
    }

    private func status(_ text: String) -> Int? { status(Array(text.utf8)) }

    @Test("a head's parts come out as sent") func parts() throws {
        let text = "POST /a%20b?c=d&e HTTP/1.1\r\nHost: h\r\nA:  one \r\na: two\r\nContent-Length: 007\r\n\r\nrest"
        let head = try head(text)
        #expect(head.method == .post)
        #expect(head.path == "/a%20b")
        #expect(head.query == "c=d&e")
        #expect(head.headers.all("A") == ["one", "two"])
        #expect(head.headers["HOST"] == "h")
        #expect(head.headers["b"] == nil)
        #expect(head.headers.count == 4)
        #expect(head.framing == .length(7))
        #expect(head.keepsAlive && !head.expectsContinue)
        #expect(head.size == text.utf8.count - 4)
    }

    @Test("a request's line in the log has no query, field or body") func accessLog() throws {
        let head = try head("GET /a?code=secret HTTP/1.1\r\nHost: h\r\nCookie: secret\r\n\r\n")
        #expect(
            Connection.accessFields(head, status: 200, microseconds: 12, id: "i") == [
                JSON.Member("method", .string("GET")), JSON.Member("path", .string("/a")),
                JSON.Member("status", .integer(200)), JSON.Member("microseconds", .integer(12)),
                JSON.Member("request_id", .string("i")),
            ])
    }

    @Test(
        "methods are case-sensitive (RFC 9110 §9.1)",
        arguments: [
            ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
            ("DELETE", .delete), ("OPTIONS", .options), ("get", .other("get")), ("BREW", .other("BREW")),
        ])
    func methods(name: String, method: HTTP.Method) throws {
        #expect(try head("\(name) / HTTP/1.1\r\nHost: h\r\n\r\n").method == method)
        #expect(method.name == name)
    }

    /// `tchar`, written out from RFC 9110 §5.6.2.
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    @Test("§5.1: a header name is a token, for every byte") func everyNameByte() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX".utf8) + [byte] + Array("Y: z\r\n\r\n".utf8)
            // The colon ends the name, so the rest is a value.
            let isAccepted = Self.tokenBytes.contains(byte) || byte == UInt8(ascii: ":")
            #expect(status(bytes) == (isAccepted ? 200 : 400), "byte \(byte)")
        }
    }

    @Test("§5.5: a header value has no control characters but tab, for every byte") func everyValueByte() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nX: y".utf8) + [byte] + Array("z\r\n\r\n".utf8)
            let isAccepted = byte == 9 || (byte >= 32 && byte != 127)
            #expect(status(bytes) == (isAccepted ? 200 : 400), "byte \(byte)")
        }
    }

    @Test("§3.2: a target is printable ASCII without blank and fragment, for every byte") func everyTargetByte() {
        for byte in UInt8.min...UInt8.max {
            let bytes = Array("GET /a".utf8) + [byte] + Array("41 HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            let isAccepted = byte > 32 && byte < 127 && byte != UInt8(ascii: "#")
            #expect(status(bytes) == (isAccepted ? 200 : 400), "byte \(byte)")
        }
    }

    @Test("§3.1: a method is a token, for every byte") func everyMethodByte() {
        for byte in UInt8.min...UInt8.max where byte != 32 {
            let bytes = Array("G".utf8) + [byte] + Array("T / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            #expect(status(bytes) == (Self.tokenBytes.contains(byte) ? 200 : 400), "byte \(byte)")
        }
    }

    @Test(
        "§3.2: Host is a host with or without a port",
        arguments: [
            ("localhost", true), ("id.example", true), ("id.example:443", true), ("id.example:", true),
            ("127.0.0.1:8080", true), ("[::1]", true), ("[::1]:8080", true), ("[2001:db8::192.0.2.1]", true),
            ("a_b~c!$&'()*+,;=", true), ("%41", true), ("h:65535", true),
            ("", false), (":80", false), ("h:65536", false), ("h:123456", false), ("h:8a", false), ("h:-1", false),
            ("h:1:2", false), ("::1", false), ("[::1", false), ("[]", false), ("[::1]a", false), ("[::g]", false),
            ("[127.0.0.1]", false), ("[v1.a]", false), ("[fe80::1%25eth0]", false), ("a b", false), ("a/b", false),
            ("a?b", false),
            ("u@h", false), ("h\\", false), ("%4", false), ("%zz", false), ("h\u{E9}", false), ("<h>", false),
            ("h, h", false),
        ])
    func host(value: String, accepted: Bool) {
        #expect(status("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n") == (accepted ? 200 : 400))
        guard !value.contains(where: { " /?@".contains($0) || !$0.isASCII }) else { return }
        #expect(status("GET http://\(value)/ HTTP/1.1\r\nHost: h\r\n\r\n") == (accepted ? 200 : 400))
    }

    @Test(
        "X-Request-Id is taken over when it is harmless",
        arguments: [
            ("a", true), ("A-z_0.9", true), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false), ("", false), ("a b", false), ("a\"", false), ("\u{E9}", false),
        ])
    func requestID(value: String, accepted: Bool) throws {
        let head = try head("GET / HTTP/1.1\r\nHost: h\r\nX-Request-Id: \(value)\r\n\r\n")
        #expect(head.requestID == (accepted ? value : nil))
    }

    @Test("a head of exactly the limit is read, one byte more is not") func headLimit() {
        let start = "GET / HTTP/1.1\r\nHost: h\r\nX: "
        func text(_ size: Int) -> [UInt8] {
            Array(start.utf8) + [UInt8](repeating: 0x61, count: size - start.utf8.count - 4) + Array("\r\n\r\n".utf8)
        }
        let limits = RequestParser.Limits(head: 1000, target: 100, fieldCount: 10)
        #expect(status(text(1000), limits) == 200)
        #expect(status(text(1001), limits) == 431)
        #expect(status(Array(text(1001).dropLast(1)), limits) == 431)
        #expect(status(Array(text(1000).dropLast(1)), limits) == nil)
    }

    @Test("what is wrong is refused with the byte that shows it") func refusedAtOnce() {
        for text in [
            "\u{16}", "GET /\u{00}", "GET / HTTQ", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost ", "\n", "\r\r",
        ] {
            #expect(status(text) == 400, "\(text.debugDescription)")
            #expect(status(String(text.unicodeScalars.dropLast())) == nil, "\(text.debugDescription)")
        }
    }

    @Test("each byte is looked at once, however the head is cut") func linearWork() {
        // 16 kB in single bytes: quadratic reading would take 128 million steps, minutes in a debug build.
        let fields = (0..<90).map { "Field-\($0): \(String(repeating: "v", count: 160))\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n".utf8)
        var parser = RequestParser()
        let clock = ContinuousClock()
        let time = clock.measure {
            bytes.withUnsafeBufferPointer { bytes in
                for count in 1..<bytes.count {
                    guard case .incomplete = parser.parse(UnsafeBufferPointer(rebasing: bytes[..<count])) else {
                        Issue.record("ended after \(count) bytes")
                        return
                    }
                }
                guard case .head(let head) = parser.parse(bytes) else {
                    Issue.record("not accepted")
                    return
                }
                #expect(head.headers.count == 91)
            }
        }
        #expect(time < .seconds(5))
    }

    @Test("mutated heads never trap, and cutting them changes nothing") func fuzz() {
        let seeds = [
            "GET /authorize?client_id=a&state=%20 HTTP/1.1\r\nHost: id.example:443\r\nAccept: */*\r\nConnection: keep-alive, x\r\n\r\n",
            "POST http://[::1]:80/oauth/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
            "POST /a HTTP/1.0\r\nContent-Length: 12\r\nX-Request-Id: abc\r\n\r\n",
            "\r\nOPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
        ].map { Array($0.utf8) }
        let alphabet = Array("\r\n\0\t :/?#%[]@,;=HTP1.09azA-".utf8)
        var generator = SeededGenerator(seed: 1)
        for round in 0..<20_000 {
            let bytes = generator.mutate(seeds[round % seeds.count], with: alphabet)
            bytes.withUnsafeBufferPointer { Fuzzing.head($0) }
        }
    }
}
