/// An Argon2id hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, both in base64 without padding.
struct PHCString: Equatable {
    var memoryKiB: UInt32
    var passes: UInt32
    var lanes: UInt32
    var salt: [UInt8]
    var hash: [UInt8]

    init(memoryKiB: UInt32, passes: UInt32, lanes: UInt32, salt: [UInt8], hash: [UInt8]) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.hash = hash
    }

    /// nil when the text is anything else, or asks for more work than a stored hash may: 64 MiB, 10 passes, 4 lanes.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), maxSplits: 6, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1].elementsEqual("argon2id".utf8),
            parts[2].elementsEqual("v=19".utf8)
        else { return nil }
        let numbers = parts[3].split(separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        guard numbers.count == 3, let memoryKiB = Self.number(numbers[0], named: "m"),
            let passes = Self.number(numbers[1], named: "t"), let lanes = Self.number(numbers[2], named: "p"),
            (1...4).contains(lanes), (1...10).contains(passes), (8 * lanes...65_536).contains(memoryKiB)
        else { return nil }
        guard let salt = Self.decode(parts[4]), (8...64).contains(salt.count), let hash = Self.decode(parts[5]),
            (16...64).contains(hash.count)
        else { return nil }
        self.init(memoryKiB: memoryKiB, passes: passes, lanes: lanes, salt: salt, hash: hash)
    }

    var text: String {
        "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=\(lanes)$\(Self.encode(salt))$\(Self.encode(hash))"
    }

    /// `m=19456`: decimal, without sign or leading zero.
    private static func number(_ text: Substring.UTF8View, named name: StaticString) -> UInt32? {
        guard text.count > 2, text.first == name.utf8Start[0], text.dropFirst().first == UInt8(ascii: "=") else {
            return nil
        }
        let digits = text.dropFirst(2)
        guard digits.count <= 9, digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return digits.reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
    }

    // MARK: Base64 as PHC has it (RFC 4648 §4 without padding)

    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(characters[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(characters[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for other characters, and where bits that belong to no byte are set.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count <= 128, text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = characters.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }
}
