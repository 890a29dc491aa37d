import ASCII

/// `uri-host [ ":" port ]`, as it stands in Host and in a target of absolute-form (RFC 9112 §3.2, RFC 3986 §3.2.2).
enum Authority {
    /// Whether the bytes are a host with or without a port. An empty host is refused (RFC 9110 §4.2.1), and so is
    /// user information (§4.2.4).
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        var index = 0
        if first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            guard isIPLiteral(UnsafeBufferPointer(rebasing: bytes[1..<close])) else { return false }
            index = close + 1
        } else {
            guard let end = endOfName(bytes) else { return false }
            index = end
        }
        if index == bytes.count { return true }
        return bytes[index] == UInt8(ascii: ":") && isPort(UnsafeBufferPointer(rebasing: bytes[(index + 1)...]))
    }

    /// `reg-name`, which includes IPv4 addresses: the index behind it, nil if it is empty or broken.
    private static func endOfName(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count && bytes[index] != UInt8(ascii: ":") {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else { return nil }
                index += 3
            } else {
                guard isNameByte(bytes[index]) else { return nil }
                index += 1
            }
        }
        return index == 0 ? nil : index
    }

    /// `unreserved / sub-delims`
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: ASCII.isAlphanumeric(byte)
        }
    }

    /// Inside the brackets: an IPv6 address. Nobody has defined an `IPvFuture`, so there is none.
    private static func isIPLiteral(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count <= 45 && bytes.contains(UInt8(ascii: ":")) && IPAddress(String(ascii: bytes)) != nil
    }

    /// An empty port is allowed by the grammar.
    private static func isPort(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count <= 5, bytes.allSatisfy(ASCII.isDigit) else { return false }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65535
    }
}
