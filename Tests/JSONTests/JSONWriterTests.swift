import JSON
import Testing

@Suite("JSON writing") struct JSONWriterTests {
    @Test("members come in the order they were added, compact") func order() {
        var writer = JSONObjectWriter()
        writer.add("b", "x")
        writer.add("a", 7)
        writer.add("yes", true)
        writer.add("list", ["p", "q"])
        writer.add("absent", ifPresent: nil)
        writer.add("present", ifPresent: "é")
        writer.add("nested", .object([JSON.Member("n", .null)]))
        #expect(
            String(decoding: writer.finish(), as: UTF8.self)
                == #"{"b":"x","a":7,"yes":true,"list":["p","q"],"present":"é","nested":{"n":null}}"#)
    }

    @Test("an object without members") func empty() {
        #expect(JSONObjectWriter().finish() == Array("{}".utf8))
    }

    @Test(
        "strings escape quote, backslash and control characters only (RFC 8259 §7)",
        arguments: [
            ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("/", #""/""#), ("\n\r\t\u{8}\u{c}", #""\n\r\t\b\f""#),
            ("\0\u{1}\u{f}\u{10}\u{1f}", #""\u0000\u0001\u000f\u0010\u001f""#),
            ("\u{7f}é\u{2028}😀", "\"\u{7f}é\u{2028}😀\""),
        ])
    func escaping(text: String, written: String) {
        #expect(String(decoding: JSON.string(text).serialized(), as: UTF8.self) == written)
    }

    @Test(
        "whole numbers are written in full",
        arguments: [
            (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (1_700_000_000, "1700000000"),
            (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
        ] as [(Int64, String)])
    func integers(value: Int64, written: String) {
        #expect(String(decoding: JSON.integer(value).serialized(), as: UTF8.self) == written)
    }

    @Test(
        "other numbers read back as themselves; what JSON cannot say is null",
        arguments: [
            (0.5, "0.5"), (-0.0, "-0.0"), (1e300, "1e+300"), (2.5e-300, "2.5e-300"), (.infinity, "null"),
            (.nan, "null"),
        ] as [(Double, String)])
    func doubles(value: Double, written: String) {
        #expect(String(decoding: JSON.number(value).serialized(), as: UTF8.self) == written)
    }

    @Test("pretty text puts each member on a line, indented by two spaces") func pretty() throws {
        let value = try JSON(parsing: Array(#"{"a":[1,{"b":[]}],"c":{},"d":"x"}"#.utf8))
        let expected = """
            {
              "a": [
                1,
                {
                  "b": []
                }
              ],
              "c": {},
              "d": "x"
            }
            """
        let text = value.serialized(pretty: true)
        #expect(String(decoding: text, as: UTF8.self) == expected)
        #expect(try JSON(parsing: text) == value)
    }
}
