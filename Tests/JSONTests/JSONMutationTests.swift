import Foundation
import JSON
import SeededRandom
import Testing

@Suite("JSON under mutation") struct JSONMutationTests {
    static let seeds = [
        #"{"iss":"https://id.example","aud":["a","b"],"exp":1700000000,"ok":true,"none":null,"f":-1.5e-3}"#,
        #"{"\u00e9\ud83d\ude00":"\"\\\/\b\f\n\r\t","é":[[[{}]],0,-0,1E5],"x":{"y":{"z":""}}}"#,
        #"[1,2.0,3e0,"a",false,{"a":1,"b":2},9223372036854775807,-9223372036854775808,18446744073709551616]"#,
    ]
    static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", ".", "e", "1", "true", "null",
        "\u{FEFF}", "é", "😀", " ", "\n", "\0",
    ]

    @Test(
        "a changed text is refused or reads back as itself, and Foundation reads it too",
        arguments: Array(seeds.enumerated()).map(\.offset))
    func mutations(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) &+ 1)
        let start = Array(Self.seeds[seed].utf8)
        var accepted = 0
        for _ in 0..<8_000 {
            var text = start
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: text[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2:
                    text.insert(contentsOf: Self.tokens.randomElement(using: &generator)?.utf8 ?? "".utf8, at: index)
                case 3: text.removeSubrange(index..<min(text.count, index + Int.random(in: 1...8, using: &generator)))
                default:
                    let end = min(text.count, index + Int.random(in: 1...20, using: &generator))
                    text.insert(contentsOf: text[index..<end], at: Int.random(in: 0...text.count, using: &generator))
                }
                if text.isEmpty { text = [UInt8(ascii: "1")] }
            }
            guard let value = try? JSON(parsing: text) else { continue }
            accepted += 1
            #expect(try! JSON(parsing: value.serialized()) == value)
            #expect(try! JSON(parsing: value.serialized(pretty: true)) == value)
            #expect(throws: Never.self, "\(String(decoding: text, as: UTF8.self))") {
                try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            }
        }
        #expect(accepted > 100)
    }

    @Test("every text that ends too early is refused", arguments: seeds) func prefixes(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: JSON.SyntaxError.self) { try JSON(parsing: bytes[..<count]) }
        }
    }

    @Test("any string goes through writing and reading unchanged") func strings() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let limit: UInt32 = [0x30, 0x80, 0x800, 0x11_0000].randomElement(using: &generator) ?? 0x80
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) { text.append(scalar) }
            }
            let value = JSON.string(String(text))
            let read = try #require(try JSON(parsing: value.serialized()).stringValue)
            #expect(Array(read.utf8) == Array(String(text).utf8))
        }
    }
}
