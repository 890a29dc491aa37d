import Foundation
import JOSE
import SeededRandom
import Testing

@Suite("Base64 and base64url (RFC 4648)") struct Base64Tests {
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("published vectors (§10)", arguments: vectors) func vector(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
        let bare = encoded.filter { $0 != "=" }
        #expect(Base64URL.encode(Array(plain.utf8)) == bare)
        #expect(Base64URL.decode(bare) == Array(plain.utf8))
    }

    @Test("the alphabets differ in the last two characters") func alphabets() {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
        #expect(Base64.encode(bytes) == "+/+/")
        #expect(Base64URL.encode(bytes) == "-_-_")
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64URL.decode("+/+/") == nil)
    }

    @Test("every length, against Foundation, as String and as Substring") func lengths() {
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            let encoded = Base64.encode(bytes)
            #expect(encoded == Data(bytes).base64EncodedString())
            #expect(Base64.decode(encoded) == bytes)
            #expect(Base64.decode("<\(encoded)>".dropFirst().dropLast()) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test("every byte: 64 characters are taken, all else is not") func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let text = String(decoding: [0x41, 0x41, byte, 0x41], as: UTF8.self)
            let isAlphanumeric =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            #expect((Base64URL.decode(text) != nil) == (isAlphanumeric || byte == 0x2D || byte == 0x5F))
            #expect((Base64.decode(text) != nil) == (isAlphanumeric || byte == 0x2B || byte == 0x2F))
        }
    }

    @Test(
        "base64url has no padding, no other byte, no odd length and no spare bit",
        arguments: [
            "Zg==", "Zm8=", "=", "A", "AAAAA", "Zh", "Zm9", "Zm9vYh", "Zm 9v", "Zm9v\n", " Zm9v", "Zm9v.", "Zm9v\0",
            "é",
            "Ａ", "Zg\u{0}",
        ])
    func badURL(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "base64 has its padding, no other byte and no spare bit",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "=", "==", "===", "====", "A===", "=AAA", "A=AA", "AA=A", "AA=AAAAA",
            "Zh==",
            "Zm9=", "Zm9v=", "Zm9v====", "Zm9v\n", "Zm9v ", "Z m9v", "-_8=", "Zg==Zg==",
        ])
    func badStandard(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("a changed text is refused or is the one spelling of what it says (seeded mutations)") func mutations() {
        var generator = SeededGenerator(seed: 21)
        let alphabet = Array("AZaz09+/-_= \n\0é".utf8)
        for _ in 0..<50_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let bytes = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...127, using: &generator) : alphabet.randomElement(using: &generator) ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let decoded = Base64URL.decode(text) { #expect(Base64URL.encode(decoded) == text) }
            if let decoded = Base64.decode(text) { #expect(Base64.encode(decoded) == text) }
        }
    }
}
