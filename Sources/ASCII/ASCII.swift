/// Bytes that are characters of ASCII. Swift compares strings by canonical equivalence (the Kelvin sign equals `K`) and
/// knows the classes of all of Unicode; what a specification writes in ASCII is compared and classified as bytes.
///
/// Targets above extend it by the classes of the specifications they read.
public enum ASCII {
    @inlinable @inline(__always) public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inlinable public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inlinable public static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    /// The value of a hexadecimal digit in either case; nil for any other byte.
    @inlinable @inline(__always) public static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    @inlinable @inline(__always) public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
