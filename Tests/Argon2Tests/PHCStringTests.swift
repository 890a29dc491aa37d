import SeededRandom
import Testing

@testable import Argon2

@Suite("PHC strings") struct PHCStringTests {
    static let salt = "c2FsdHNhbHRzYWx0c2FsdA"
    static let hash = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test("a hash reads back as it was written") func roundTrip() throws {
        let text = "$argon2id$v=19$m=19456,t=2,p=1$\(Self.salt)$\(Self.hash)"
        let read = try #require(PHCString(text))
        #expect(read.memoryKiB == 19_456)
        #expect(read.passes == 2)
        #expect(read.lanes == 1)
        #expect(read.salt == Array("saltsaltsaltsalt".utf8))
        #expect(read.hash == Array(0..<32))
        #expect(read.text == text)
    }

    @Test(
        "costs above 64 MiB, 10 passes or 4 lanes, and below libargon2's least, are refused",
        arguments: [
            ("m=65536,t=10,p=4", true), ("m=65537,t=2,p=1", false), ("m=19456,t=11,p=1", false),
            ("m=19456,t=2,p=5", false), ("m=8,t=1,p=1", true), ("m=7,t=1,p=1", false), ("m=16,t=1,p=2", true),
            ("m=15,t=1,p=2", false), ("m=19456,t=0,p=1", false), ("m=19456,t=2,p=0", false),
            ("m=4294967296,t=2,p=1", false), ("m=99999999999999999999,t=2,p=1", false),
        ])
    func caps(costs: String, accepted: Bool) {
        #expect((PHCString("$argon2id$v=19$\(costs)$\(Self.salt)$\(Self.hash)") != nil) == accepted)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "$", "$$$$$$", "argon2id$v=19$m=19456,t=2,p=1$SALT$HASH", "$argon2i$v=19$m=19456,t=2,p=1$SALT$HASH",
            "$argon2d$v=19$m=19456,t=2,p=1$SALT$HASH", "$argon2id$v=16$m=19456,t=2,p=1$SALT$HASH",
            "$argon2id$m=19456,t=2,p=1$SALT$HASH", "$argon2id$v=19$t=2,m=19456,p=1$SALT$HASH",
            "$argon2id$v=19$m=19456,t=2$SALT$HASH", "$argon2id$v=19$m=19456,t=2,p=1,x=1$SALT$HASH",
            "$argon2id$v=19$m=019456,t=2,p=1$SALT$HASH", "$argon2id$v=19$m=+19456,t=2,p=1$SALT$HASH",
            "$argon2id$v=19$m=,t=2,p=1$SALT$HASH", "$argon2id$v=19$m=19456,t=2,p=1$SALT",
            "$argon2id$v=19$m=19456,t=2,p=1$$HASH",
            "$argon2id$v=19$m=19456,t=2,p=1$SALT$", "$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH$",
            "$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH ",
            "$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH=", "$argon2id$v=19$m=19456,t=2,p=1$SALT$HAS-H",
            "$2b$12$abcdefghijklmnopqrstuv",
        ])
    func malformed(text: String) {
        let text = text.replacing("SALT", with: Self.salt).replacing("HASH", with: Self.hash)
        #expect(PHCString(text) == nil)
    }

    @Test(
        "lengths of salt and hash are bounded",
        arguments: [(7, 32, false), (8, 16, true), (64, 64, true), (65, 32, false), (16, 15, false), (16, 65, false)])
    func lengths(salt: Int, hash: Int, accepted: Bool) {
        let text = PHCString(
            memoryKiB: 64, passes: 1, lanes: 1, salt: [UInt8](repeating: 1, count: salt),
            hash: [UInt8](repeating: 2, count: hash)
        ).text
        #expect((PHCString(text) != nil) == accepted)
    }

    @Test(
        "unused bits of base64 are zero",
        arguments: [("AA", true), ("AB", false), ("AAA", true), ("AAB", false), ("A", false)])
    func unusedBits(text: String, accepted: Bool) {
        #expect((PHCString.decode(Array(text.utf8)) != nil) == accepted)
    }

    @Test("no changed text ever traps (seeded mutations)") func mutations() {
        var generator = SeededGenerator(seed: 7)
        let start = Array("$argon2id$v=19$m=19456,t=2,p=1$\(Self.salt)$\(Self.hash)".utf8)
        for _ in 0..<50_000 {
            var text = start
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: text.insert(text[Int.random(in: 0..<text.count, using: &generator)], at: index)
                default: text.remove(at: index)
                }
            }
            guard let read = PHCString(String(decoding: text, as: UTF8.self)) else { continue }
            #expect(read.memoryKiB <= 65_536 && read.passes <= 10 && read.lanes <= 4)
            #expect(read.text == String(decoding: text, as: UTF8.self))
        }
    }
}
