import ASCII

/// The character classes of the specifications.
extension ASCII {
    /// RFC 3986 §2.3, the alphabet of code verifiers and of our client ids too.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isBase64URL(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }

    /// RFC 4648 §5.
    static func isBase64URL(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// RFC 6749 §3.3: printable ASCII without space, `"` and `\`.
    static func isScopeCharacter(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

extension String {
    /// Byte for byte, where `==` would take canonically equivalent texts for the same.
    public func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether there is a C0 or C1 control character or DEL.
    var holdsControlCharacters: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// The items of a space-separated list; extra spaces count for nothing.
    var spaceSeparated: [String] {
        utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }
}

extension Sequence where Element: Hashable {
    /// In the same order, each only once.
    func withoutRepeats() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
