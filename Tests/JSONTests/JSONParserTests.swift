import JSON
import Testing

@Suite("JSON reading (RFC 8259)") struct JSONParserTests {
    static func parse(_ text: String) throws(JSON.SyntaxError) -> JSON { try JSON(parsing: text.utf8) }

    @Test("values of each kind, with white space around every token") func kinds() throws {
        let text = " \t\r\n{ \"a\" : [ null , true , false , 1 , -2.5e1 , \"x\" , { } , [ ] ] , \"b\" : \"\" } \n"
        #expect(
            try Self.parse(text)
                == .object([
                    JSON.Member(
                        "a",
                        .array([
                            .null, .bool(true), .bool(false), .integer(1), .number(-25), .string("x"), .object([]),
                            .array([]),
                        ])), JSON.Member("b", .string("")),
                ]))
    }

    @Test("a lone value is a text", arguments: [("null", JSON.null), ("0", .integer(0)), ("\"\"", .string(""))])
    func lone(text: String, value: JSON) throws {
        #expect(try Self.parse(text) == value)
    }

    @Test(
        "numbers: whole ones that fit are integers, the rest is Double",
        arguments: [
            ("0", .integer(0)), ("-1", .integer(-1)), ("10", .integer(10)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("-9223372036854775809", .number(-9_223_372_036_854_775_808)),
            ("18446744073709551616", .number(18_446_744_073_709_551_616)),
            ("100000000000000000000000", .number(1e23)), ("1.0", .number(1)), ("1e2", .number(100)),
            ("1E+2", .number(100)), ("25e-1", .number(2.5)), ("0.1", .number(0.1)), ("-0.0", .number(-0.0)),
            ("0e0", .number(0)), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        ] as [(String, JSON)])
    func numbers(text: String, value: JSON) throws {
        #expect(try Self.parse(text) == value)
    }

    @Test("minus zero keeps its sign") func minusZero() throws {
        guard case .number(let value) = try Self.parse("-0") else {
            Issue.record("-0 is no integer")
            return
        }
        #expect(value == 0 && value.sign == .minus)
        #expect(try Self.parse("-0").integerValue == 0)
    }

    @Test(
        "what is no number",
        arguments: [
            "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1e1.5", "0x1", "1_0", "NaN",
            "Infinity",
            "-Infinity", "1e999", "-1e999", "1 2", "١", "1a", "--1", "1f",
        ])
    func badNumbers(text: String) {
        #expect(throws: JSON.SyntaxError.self) { try Self.parse(text) }
        #expect(throws: JSON.SyntaxError.self) { try Self.parse("[\(text)]") }
    }

    @Test(
        "strings and their escapes",
        arguments: [
            (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\u0000""#, "\0"), (#""\ud83d\ude00""#, "😀"), (#""\uD800\uDC00""#, "\u{10000}"),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\uD7FF\uE000\uFFFF""#, "\u{D7FF}\u{E000}\u{FFFF}"),
            ("\"é😀\u{7f}\u{2028}\"", "é😀\u{7f}\u{2028}"), (#""é\u00e9é""#, "ééé"), (#""\u0022""#, "\""), ("\"/\"", "/"),
        ])
    func strings(text: String, value: String) throws {
        let read = try #require(try Self.parse(text).stringValue)
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test(
        "what is no string",
        arguments: [
            #"""#, #""a"#, #""\"#, #""\""#, #""\x41""#, #""\u""#, #""\u00""#, #""\u004""#, #""\u00g0""#, #""\U0041""#,
            #""\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#, #""\udc00""#,
            #""\udc00\ud800""#, #""\ud83d\ude0""#, "'a'", "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1f}\"", #""\a""#,
            #""\'""#, #""\ ""#,
            #""\u+041""#, #""\u 041""#, "\"\\n\u{1}\"",
        ])
    func badStrings(text: String) {
        #expect(throws: JSON.SyntaxError.self) { try Self.parse(text) }
        #expect(throws: JSON.SyntaxError.self) { try Self.parse("{\(text):1}") }
    }

    @Test(
        "bytes that are not UTF-8 (RFC 3629): lone, cut, overlong, surrogates, beyond U+10FFFF",
        arguments: [
            [0x80], [0xBF], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFE], [0xFF],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let texts: [[UInt8]] = [
            [quote] + bytes + [quote],
            // Beside an escape, which takes another path through the reader.
            [quote] + Array(#"\n"#.utf8) + bytes + Array(#"\u00e9"#.utf8) + [quote],
            Array("{\"".utf8) + bytes + Array("\":1}".utf8),
            bytes,
        ]
        for text in texts { #expect(throws: JSON.SyntaxError.self) { try JSON(parsing: text) } }
    }

    @Test(
        "what is no text",
        arguments: [
            "", " ", "\u{FEFF}{}", "{}x", "{} {}", "[1,]", "[,1]", "[1 2]", "[", "]", "[1", "{", "}", "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}", "{,}", "{\"a\" 1}", "{a:1}", "{1:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "[1}",
            "nul",
            "nulll", "True", "TRUE", "tru", "truE", "falsey", "undefined", "// c\n1", "1 // c", "/**/1", "[1]\0", "\0",
            "\u{A0}1", "\u{C}1", "\u{B}1", "{\"a\":1,,\"b\":2}", "[\"a\":1]", "{\"a\"::1}", "*", "<null>",
        ])
    func malformed(text: String) {
        #expect(throws: JSON.SyntaxError.self) { try Self.parse(text) }
    }

    @Test(
        "a member name comes once, compared after its escapes are undone and byte for byte",
        arguments: [
            (#"{"a":1,"a":1}"#, false), (#"{"a":1,"\u0061":2}"#, false), (#"{"a":{"b":1,"b":2}}"#, false),
            (#"{"":1,"":2}"#, false), (#"{"a":1,"A":2}"#, true), (#"{"a":{"a":1}}"#, true),
            // é as one scalar and as two: equal to String, not to JSON.
            (#"{"\u00e9":1,"e\u0301":2}"#, true), (#"[{"a":1},{"a":2}]"#, true),
        ])
    func repeatedNames(text: String, accepted: Bool) {
        #expect(((try? Self.parse(text)) != nil) == accepted)
    }

    @Test("repeated names are found among many, wherever they stand", arguments: [1, 31, 32, 33, 34, 500])
    func manyNames(count: Int) throws {
        let members = (0..<count).map { "\"name\($0)\":\($0)" }
        let text = "{\(members.joined(separator: ","))}"
        #expect(try Self.parse(text).objectValue?.count == count)
        for again in [0, count / 2, count - 1] {
            #expect(
                throws: JSON.SyntaxError(reason: "repeated member name", offset: text.utf8.count)
            ) { try Self.parse("\(text.dropLast()),\"name\(again)\":0}") }
        }
    }

    @Test("64 levels are read, 65 are not", arguments: [("[", "]"), ("{\"a\":", "}")])
    func depth(open: String, close: String) throws {
        func nested(_ levels: Int) -> String {
            let inner = open == "[" ? "" : "1"
            return String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
        }
        #expect(throws: Never.self) { try Self.parse(nested(64)) }
        #expect(throws: JSON.SyntaxError.self) { try Self.parse(nested(65)) }
        #expect(throws: JSON.SyntaxError.self) { try Self.parse(String(repeating: open, count: 1_000_000)) }
        let wide = Array(repeating: nested(63), count: 5).joined(separator: ",")
        #expect(throws: Never.self) { try Self.parse("[\(wide)]") }
    }

    @Test(
        "an error says what and where",
        arguments: [
            ("{\"a\":01}", "number with a leading zero", 5), ("[1,2", "',' or ']' expected", 4),
            ("{\"a\":1,\"a\":2}", "repeated member name", 7), ("[\"\\x\"]", "no such escape", 2),
            ("nul", "no value begins so", 0), ("{} x", "something behind the value", 3),
        ])
    func errors(text: String, reason: String, offset: Int) {
        #expect(throws: JSON.SyntaxError(reason: reason, offset: offset)) { try Self.parse(text) }
    }

    @Test("bytes may come in any collection") func collections() throws {
        let text = Array("x[1,\"é\"]x".utf8)
        let expected = JSON.array([.integer(1), .string("é")])
        #expect(try JSON(parsing: text[1..<(text.count - 1)]) == expected)
        #expect(try JSON(parsing: text.dropFirst().dropLast().lazy.map { $0 }) == expected)
        #expect(try JSON(parsing: String(decoding: text, as: UTF8.self).dropFirst().dropLast().utf8) == expected)
    }

    @Test("values are asked for by kind") func accessors() throws {
        let value = try Self.parse(#"{"s":"x","i":3,"f":3.0,"h":3.5,"b":true,"a":[1],"n":null,"big":1e300}"#)
        #expect(value["s"]?.stringValue == "x")
        #expect(value["i"]?.integerValue == 3)
        #expect(value["f"]?.integerValue == 3)
        #expect(value["h"]?.integerValue == nil)
        #expect(value["big"]?.integerValue == nil)
        #expect(value["b"]?.boolValue == true)
        #expect(value["a"]?.arrayValue == [.integer(1)])
        #expect(value["n"] == .null)
        #expect(value["absent"] == nil)
        #expect(value["s"]?.integerValue == nil && value["i"]?.stringValue == nil && value["i"]?.boolValue == nil)
        #expect(value["s"]?["s"] == nil && value["s"]?.objectValue == nil && value["s"]?.arrayValue == nil)
        #expect(value.objectValue?.map(\.name) == ["s", "i", "f", "h", "b", "a", "n", "big"])
    }

    @Test("a member is found byte for byte, not by Unicode equivalence") func exactNames() throws {
        let value = try Self.parse(#"{"e\u0301":1}"#)
        #expect(value["e\u{301}"] == .integer(1))
        #expect(value["\u{e9}"] == nil)
    }
}
