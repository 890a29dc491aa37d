import ASCII

/// `application/x-www-form-urlencoded` (RFC 6749 App. B, WHATWG URL) on bytes.
enum FormCoding {
    /// Decodes a name, a value, or one half of Basic credentials: `+` is a space, `%HH` a byte, all else itself.
    /// - Throws: on a bad escape, on what is no UTF-8, and on NUL, which PostgreSQL's text cannot hold.
    static func decode(_ bytes: ArraySlice<UInt8>) throws(Parameters.SyntaxError) -> String {
        // Most values, tokens among them, are plain and are taken as they stand.
        if !bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") || $0 == 0 }) {
            return try text(bytes)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            } else if byte == UInt8(ascii: "%") {
                byte = try escapedByte(bytes, at: &index)
            }
            if byte == 0 { throw Parameters.SyntaxError(description: "a parameter holds NUL") }
            decoded.append(byte)
        }
        return try text(decoded[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(Parameters.SyntaxError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Parameters.SyntaxError(description: "a parameter is not UTF-8")
        }
        return text
    }

    /// The byte that the two hexadecimal digits at `index` stand for; moves `index` behind them.
    private static func escapedByte(
        _ bytes: ArraySlice<UInt8>, at index: inout Int
    ) throws(Parameters.SyntaxError) -> UInt8 {
        var value: UInt8 = 0
        for _ in 0..<2 {
            guard index != bytes.endIndex, let digit = ASCII.hexValue(bytes[index]) else {
                throw Parameters.SyntaxError(description: "a parameter holds a bad percent escape")
            }
            value = value << 4 | digit
            index += 1
        }
        return value
    }

    private static let upperHexDigits = Array("0123456789ABCDEF".utf8)

    /// Writes unreserved characters (RFC 3986 §2.3) as they are and every other byte as `%HH`: form decoders and plain
    /// percent decoders alike read the same text back, spaces included.
    static func encode(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(upperHexDigits[Int(byte >> 4)])
                bytes.append(upperHexDigits[Int(byte & 0xF)])
            }
        }
    }
}
