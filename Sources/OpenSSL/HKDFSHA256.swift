/// RFC 5869 with SHA-256.
public enum HKDFSHA256 {
    /// Extract and expand. An empty `salt` stands for 32 zero bytes (§2.2).
    /// - Precondition: `count` is 1 to 8,160.
    public static func derive(secret: [UInt8], salt: [UInt8], info: String, count: Int) -> [UInt8] {
        derive(secret: secret, salt: salt, info: Array(info.utf8), count: count)
    }

    static func derive(secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition(count > 0 && count <= 255 * 32, "HKDF-SHA-256 gives 1 to 8160 bytes")
        let key = HMACSHA256.authenticate(secret, key: salt)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            block = HMACSHA256.authenticate(block + info + [counter], key: key)
            output += block
        }
        return Array(output.prefix(count))
    }
}
