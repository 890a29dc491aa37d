import Foundation
import Testing

@testable import HTTP

@Suite("Requests, answers and their fields as values") struct MessageTests {
    @Test("field names compare without case; order and repetition stay") func headers() {
        var headers = Headers([("A", "1"), ("b", "2"), ("a", "3")])
        #expect(headers["a"] == "1")
        #expect(headers.all("A") == ["1", "3"])
        headers.set("B", "4")
        #expect(headers.all("b") == ["4"])
        headers.add("B", "5")
        #expect(headers.fields.map(\.name) == ["A", "a", "B", "B"])
        #expect(headers.fields.map(\.value) == ["1", "3", "4", "5"])
        headers.remove("a")
        #expect(headers["A"] == nil && headers.count == 2)
        headers.set("new", "6")
        #expect(headers["New"] == "6")
        #expect(Headers().count == 0 && Headers()["a"] == nil)
    }

    @Test(
        "cookies (RFC 6265 §5.4)",
        arguments: [
            (["a=1; b=2"], "2"), (["b=1; b=2"], "1"), (["a=1", "b=2"], "2"), (["b=\"q\""], "q"), (["b=\""], "\""),
            (["b="], ""), (["b=a=c"], "a=c"), (["bb=1"], nil), (["B=1"], nil), (["b"], nil), (["a=1;b=2"], "2"),
            ([" b = 2 ;"], "2"), ([""], nil), ([], nil),
        ] as [([String], String?)])
    func cookies(fields: [String], value: String?) {
        let request = Request(method: .get, path: "/", headers: Headers(fields.map { (name: "Cookie", value: $0) }))
        #expect(request.cookie("b") == value)
    }

    @Test(
        "media types in lower case, without parameters",
        arguments: [
            ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
            ("Application/JSON; charset=UTF-8", "application/json"), (" text/html ;a=b", "text/html"), ("", nil),
            (";charset=utf-8", nil),
        ] as [(String, String?)])
    func mediaType(field: String, type: String?) {
        let request = Request(method: .post, path: "/", headers: Headers([("content-type", field)]))
        #expect(request.mediaType == type)
        #expect(Request(method: .post, path: "/").mediaType == nil)
    }

    @Test("ready-made answers say how they may be stored") func factories() {
        let json = Response.json([0x7B, 0x7D])
        #expect(json.status == 200 && json.headers["Content-Type"] == "application/json")
        #expect(json.headers["Cache-Control"] == "no-store")
        #expect(
            Response.json([], cacheControl: "public, max-age=300").headers.all("cache-control") == [
                "public, max-age=300"
            ])
        let redirect = Response.redirect("https://app.example/cb?code=1")
        #expect(redirect.status == 303 && redirect.headers["Location"] == "https://app.example/cb?code=1")
        #expect(redirect.headers["Cache-Control"] == "no-store" && redirect.body.isEmpty)
        let text = Response.text(status: 404, "no")
        #expect(text.headers["Content-Type"] == "text/plain; charset=utf-8" && text.body == Array("no".utf8))
    }

    private func write(_ response: Response, _ context: ResponseWriter.Context = .init()) throws -> String {
        var writer = ResponseWriter()
        var output: [UInt8] = []
        try writer.write(response, context, into: &output)
        let text = String(decoding: output, as: UTF8.self)
        let date = try #require(text.firstRange(of: /Date: [^\r]*\r\n/))
        return text.replacingCharacters(in: date, with: "")
    }

    @Test("an answer on the wire") func wire() throws {
        let response = Response(status: 200, headers: Headers([("A", "b")]), body: Array("xyz".utf8))
        #expect(
            try write(response, .init(requestID: "id"))
                == "HTTP/1.1 200 OK\r\nA: b\r\nX-Request-Id: id\r\nContent-Length: 3\r\n\r\nxyz")
        #expect(
            try write(response, .init(isHead: true, closes: true, requestID: "id"))
                == "HTTP/1.1 200 OK\r\nA: b\r\nX-Request-Id: id\r\nConnection: close\r\nContent-Length: 3\r\n\r\n")
        #expect(try write(Response(status: 404)).hasPrefix("HTTP/1.1 404 Not Found\r\n"))
    }

    @Test("neither body nor length with 204 and 304", arguments: [204, 304]) func noBody(status: Int) throws {
        let text = try write(Response(status: status, headers: Headers([("ETag", "\"e\"")]), body: [0x78]))
        #expect(text.hasSuffix("ETag: \"e\"\r\nX-Request-Id: \r\n\r\n"))
    }

    @Test("the fields that frame a message are the server's alone") func framing() throws {
        let headers = Headers([
            ("content-length", "9"), ("Transfer-Encoding", "chunked"), ("Connection", "upgrade"), ("X-Request-ID", "x"),
            ("date", "today"),
        ])
        #expect(
            try write(Response(status: 200, headers: headers))
                == "HTTP/1.1 200 OK\r\nX-Request-Id: \r\nContent-Length: 0\r\n\r\n")
    }

    @Test("a field cannot end early, whatever it is made of") func fieldBytes() {
        var writer = ResponseWriter()
        for value in UInt8.min...UInt8.max where value < 128 {
            var output: [UInt8] = [1, 2]
            let text = "a\(UnicodeScalar(value))b"
            let isAccepted = value == 9 || (value >= 32 && value != 127)
            do {
                try writer.write(Response(status: 200, headers: Headers([("X", text)])), .init(), into: &output)
                #expect(isAccepted, "byte \(value)")
            } catch {
                #expect(!isAccepted && error == .field(name: "X"), "byte \(value)")
                #expect(output == [1, 2])
            }
        }
        for name in ["", "a b", "a:", "a\r\nb", "ä"] {
            var output: [UInt8] = []
            #expect(throws: ResponseWriter.Defect.field(name: name)) {
                try writer.write(Response(status: 200, headers: Headers([(name, "x")])), .init(), into: &output)
            }
        }
        for status in [0, 100, 199, 600, -1] {
            var output: [UInt8] = []
            #expect(throws: ResponseWriter.Defect.status(status)) {
                try writer.write(Response(status: status), .init(), into: &output)
            }
        }
    }

    @Test(
        "RFC 9110 §5.6.7: the date",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        ])
    func date(time: Int, text: String) {
        var field = DateField()
        #expect(String(decoding: field.bytes(at: time), as: UTF8.self) == "Date: \(text)\r\n")
        #expect(String(decoding: field.bytes(at: time + 1), as: UTF8.self) != "Date: \(text)\r\n")
    }

    @Test("request ids differ and fit our own rule") func requestIDs() {
        var maker = RequestID.Maker()
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            var id = maker.next()
            #expect(id.utf8.count == 13)
            #expect(id.withUTF8 { RequestID.isAcceptable($0) })
            seen.insert(id)
        }
        #expect(seen.count == 10_000)
    }
}
