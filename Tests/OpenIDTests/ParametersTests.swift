import Testing

@testable import OpenID

@Suite("Parameters (RFC 6749 App. B, WHATWG URL form)") struct ParametersTests {
    @Test(
        "App. B: each value is decoded exactly once, + is a space",
        arguments: [
            ("a=%2B+%3D", "+ ="), ("a=1%2525", "1%25"), ("a=%C3%A9", "\u{E9}"), ("a=b=c", "b=c"), ("a==", "="),
            ("a=%26%3d%3D", "&=="), ("%61=x", "x"), ("a=\u{E9}", "\u{E9}"), ("b&a=x&c", "x"), ("&&a=x&&", "x"),
            ("a=%E2%84%AA", "\u{212A}"), ("a=/?:@!$'()*,;", "/?:@!$'()*,;"), ("a=%20+%20", "   "),
        ])
    func decoding(text: String, value: String) throws {
        let decoded = try #require(try parameters(text)["a"])
        #expect(Array(decoded.utf8) == Array(value.utf8))
    }

    @Test("B158: the log's line: b is absent, the empty name is ignored, the bad escape is an error")
    func formCoder() throws {
        let read = try parameters("a=%2B+%3D&b&c=&=d")
        #expect(read["a"] == "+ =")
        #expect(read["b"] == nil)
        #expect(read["c"] == nil)
        #expect(read[""] == nil)
        #expect(read.repeated.isEmpty)
        #expect(throws: Parameters.SyntaxError.self) { try parameters("a=%2B+%3D&b&c=&=d&&e=1%") }
        #expect(Parameters.encode([("a", "+ =&%")]) == "a=%2B%20%3D%26%25")
    }

    @Test(
        "A bad percent escape is refused",
        arguments: ["a=%", "a=%4", "a=%4g", "a=%g4", "%=a", "a=%%41", "a=%+1", "a=% 1", "a=%-1"])
    func badEscape(text: String) {
        let error = #expect(throws: Parameters.SyntaxError.self) { try parameters(text) }
        #expect(error?.description == "a parameter holds a bad percent escape")
    }

    @Test(
        "B014: NUL is refused, in names and values, raw and escaped",
        arguments: ["a=b%00", "a%00=b", "a=\0", "\0=a", "client_id=web1%00", "code=abc%00def"])
    func nul(text: String) {
        let error = #expect(throws: Parameters.SyntaxError.self) { try parameters(text) }
        #expect(error?.description == "a parameter holds NUL")
    }

    @Test(
        "Bytes that are no UTF-8 are refused: overlong, surrogate, cut off, above U+10FFFF",
        arguments: ["a=%FF", "a=%C0%80", "a=%C0%AF", "a=%ED%A0%80", "a=%C3", "a=%F4%90%80%80", "%80=a", "a=%E2%82"])
    func utf8(text: String) {
        let error = #expect(throws: Parameters.SyntaxError.self) { try parameters(text) }
        #expect(error?.description == "a parameter is not UTF-8")
    }

    @Test("An error text repeats nothing of what was sent")
    func noEcho() {
        let error = #expect(throws: Parameters.SyntaxError.self) { try parameters("client_secret=hush%ZZ") }
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "100 parameters are read, 101 refused; empty pairs and empty names are not counted",
        arguments: [(100, true), (101, false)])
    func count(count: Int, accepted: Bool) throws {
        let text = (1...count).map { "p\($0)=\($0)" }.joined(separator: "&") + String(repeating: "&", count: 200) + "=x"
        if accepted {
            #expect(try parameters(text)["p\(count)"] == "\(count)")
        } else {
            #expect(throws: Parameters.SyntaxError.self) { try parameters(text) }
        }
    }

    @Test(
        "RFC 6749 §3.1: repeats are found, empty and escaped ones too (B005, B007)",
        arguments: [
            ("a=1&a=2", ["a"]), ("a=&a=", ["a"]), ("a&a=1", ["a"]), ("%61=1&a=1", ["a"]), ("a=1&A=1", []),
            ("a=1&b=2&a=1&b=2&c=3", ["a", "b"]), ("=1&=2", []), ("&&", []), ("a=1&a=1&a=1", ["a"]),
        ])
    func repeated(text: String, names: [String]) throws {
        #expect(try parameters(text).repeated == Set(names))
    }

    @Test("§3.1: an empty value counts as missing; of repeated ones the first non-empty is read")
    func empty() throws {
        let read = try parameters("a=&a=2&a=3&b=&c")
        #expect(read["a"] == "2")
        #expect(read["b"] == nil)
        #expect(read["c"] == nil)
        #expect(read["d"] == nil)
    }

    @Test("A name is compared byte for byte: canonical equivalence does not count")
    func names() throws {
        // U+212A, the Kelvin sign, equals K for Swift's ==.
        #expect("\u{212A}" == "K")
        let read = try parameters("%E2%84%AA=1&K=2")
        #expect(read["K"] == "2")
        #expect(read.repeated.isEmpty)
    }

    @Test("An empty form has no parameters", arguments: ["", "&", "&&&", "="])
    func nothing(text: String) throws {
        let read = try parameters(text)
        #expect(read["a"] == nil)
        #expect(read[""] == nil)
    }

    @Test("Encoding leaves the unreserved characters of RFC 3986 §2.3 alone and escapes every other byte")
    func encoding() throws {
        for byte in UInt8(1)...0x7F {
            let character = String(UnicodeScalar(byte))
            let encoded = Parameters.encode([("v", character)])
            let isUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".contains(character)
            let hex = String(byte, radix: 16, uppercase: true)
            #expect(encoded == (isUnreserved ? "v=\(character)" : "v=%\(byte < 16 ? "0" : "")\(hex)"))
            #expect(try parameters(encoded)["v"] == character)
        }
        #expect(Parameters.encode([]) == "")
        #expect(Parameters.encode([("a b", "\u{E9}"), ("c", "")]) == "a%20b=%C3%A9&c=")
    }

    @Test("Fuzz: whatever is accepted holds no NUL and reads back the same after encoding")
    func fuzzing() throws {
        try fuzz([
            "a=%2B+%3D&b&c=&=d", "client_id=web1&state=%C3%A9%F0%9F%98%80&scope=openid+email", "a=1&a=2&%61=3",
            "%00=%FF",
        ]) { bytes in
            guard let read = try? Parameters(formEncoded: bytes) else { return }
            if read.repeated.contains("") { Issue.record("an empty name counts") }
            for name in ["a", "b", "c", "client_id", "state", "scope"] {
                guard let value = read[name] else { continue }
                if value.isEmpty || value.utf8.contains(0) { Issue.record("\(value)") }
                let again = try Parameters(formEncoded: Parameters.encode([(name, value)]).utf8)
                if again[name].map({ Array($0.utf8) }) != Array(value.utf8) { Issue.record("\(value)") }
            }
        }
    }
}
