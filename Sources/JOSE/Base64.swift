/// RFC 4648 §5 without padding, strict: no other byte, no `=`, unused bits zero, no length of 4n+1.
public enum Base64URL {
    public static func encode(_ bytes: [UInt8]) -> String { Base64Code.url.encode(bytes) }
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { Base64Code.url.decode(text.utf8) }

    static func decode(utf8 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? { Base64Code.url.decode(text) }
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) { Base64Code.url.append(bytes, to: &text) }
}

/// RFC 4648 §4 as Basic credentials use it (RFC 7617): padded, strict.
public enum Base64 {
    public static func encode(_ bytes: [UInt8]) -> String { Base64Code.standard.encode(bytes) }
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { Base64Code.standard.decode(text.utf8) }
}

/// One alphabet of RFC 4648 with its padding rule.
struct Base64Code: Sendable {
    static let standard = Base64Code(last: "+/", isPadded: true)
    static let url = Base64Code(last: "-_", isPadded: false)

    private static let invalid: UInt8 = 0xFF
    private let characters: [UInt8]
    /// The value of each byte, or `invalid`.
    private let values: [UInt8]
    private let isPadded: Bool

    private init(last: String, isPadded: Bool) {
        characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array(last.utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    private func encodedCount(_ count: Int) -> Int {
        isPadded ? (count + 2) / 3 * 4 : count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
    }

    func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: encodedCount(bytes.count)) { write(bytes, to: $0) }
    }

    func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let count = encodedCount(bytes.count)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            let written = write(bytes, to: buffer)
            text.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<written]))
        }
    }

    private func write(_ bytes: [UInt8], to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        characters.withUnsafeBufferPointer { characters in
            bytes.withUnsafeBufferPointer { bytes in
                var written = 0
                func put(_ value: UInt32) {
                    text[written] = characters[Int(value & 63)]
                    written += 1
                }
                var index = 0
                while index + 2 < bytes.count {
                    let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                    put(group >> 18)
                    put(group >> 12)
                    put(group >> 6)
                    put(group)
                    index += 3
                }
                let rest = bytes.count - index
                if rest > 0 {
                    let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
                    put(group >> 18)
                    put(group >> 12)
                    if rest == 2 { put(group >> 6) }
                    if isPadded {
                        for _ in rest..<3 {
                            text[written] = UInt8(ascii: "=")
                            written += 1
                        }
                    }
                }
                return written
            }
        }
    }

    func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        if let result = text.withContiguousStorageIfAvailable({ decode($0) }) { return result }
        return Array(text).withUnsafeBufferPointer { decode($0) }
    }

    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var count = text.count
        if isPadded {
            guard count % 4 == 0 else { return nil }
            if count > 0, text[count - 1] == UInt8(ascii: "=") { count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1 }
        }
        let rest = count % 4
        guard rest != 1 else { return nil }
        let whole = count - rest
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count / 4 * 3 + (rest == 0 ? 0 : rest - 1)) { bytes, written in
            values.withUnsafeBufferPointer { values in
                // Valid values have six bits, so the two above show whether any byte was not of the alphabet.
                var seen: UInt8 = 0
                func value(_ index: Int) -> UInt32 {
                    let value = values[Int(text[index])]
                    seen |= value
                    return UInt32(value)
                }
                func put(_ byte: UInt32) {
                    bytes[written] = UInt8(truncatingIfNeeded: byte)
                    written += 1
                }
                var index = 0
                while index < whole {
                    let group =
                        value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
                    put(group >> 16)
                    put(group >> 8)
                    put(group)
                    index += 4
                }
                var unused: UInt32 = 0
                if rest == 2 {
                    let group = value(index) << 6 | value(index + 1)
                    put(group >> 4)
                    unused = group & 0xF
                } else if rest == 3 {
                    let group = value(index) << 12 | value(index + 1) << 6 | value(index + 2)
                    put(group >> 10)
                    put(group >> 2)
                    unused = group & 3
                }
                isValid = seen < 64 && unused == 0
            }
        }
        return isValid ? bytes : nil
    }
}
