import ASCII

/// The byte classes of RFC 9110 and RFC 3986 that the readers of this module share.
extension ASCII {
    package static let tab: UInt8 = 0x09
    package static let lineFeed: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let space: UInt8 = 0x20

    /// `tchar` (RFC 9110 §5.6.2), as two bit masks: no table to load, no lazy global to look up.
    @inline(__always) package static func isToken(_ byte: UInt8) -> Bool {
        // 0...63: ! # $ % & ' * + - . 0-9     64...127: A-Z ^ _ ` a-z | ~
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && ((byte < 64 ? low : high) >> UInt64(byte & 63)) & 1 == 1
    }

    /// `field-vchar`, SP or HTAB (RFC 9110 §5.5): no NUL, CR, LF or other control character.
    @inline(__always) package static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7F : byte == tab
    }

    /// What may stand in a request target. Wider than RFC 3986 by `"<>\^{|}` and the backtick, which browsers send
    /// unescaped in a query; never blanks, controls, "#" or bytes beyond ASCII.
    @inline(__always) static func isTarget(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    @inline(__always) static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// Whether two byte strings are equal but for the case of letters.
    static func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where lowercased(a[index]) != lowercased(b[index]) { return false }
        return true
    }

    /// The same against a literal.
    static func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: StaticString) -> Bool {
        equal(a, UnsafeBufferPointer(start: b.utf8Start, count: b.utf8CodeUnitCount))
    }

    /// Without blanks at either end.
    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var start = 0
        var end = bytes.count
        while start < end && isBlank(bytes[start]) { start += 1 }
        while end > start && isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Calls `body` with each element between commas, without blanks; empty elements are left out (RFC 9110 §5.6.1.2).
    static func forEachListElement(
        _ list: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var start = 0
        while start <= list.count {
            var end = start
            while end < list.count && list[end] != UInt8(ascii: ",") { end += 1 }
            let element = trimmed(UnsafeBufferPointer(rebasing: list[start..<end]))
            if !element.isEmpty { body(element) }
            start = end + 1
        }
    }
}

extension String {
    @inline(__always) init(ascii bytes: UnsafeBufferPointer<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }
}
