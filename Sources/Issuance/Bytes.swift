extension [UInt8] {
    /// Eight bytes.
    package mutating func append(bigEndian number: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }

    /// The count of bytes, then the bytes.
    package mutating func append(counted bytes: [UInt8]) {
        append(bigEndian: Int64(bytes.count))
        append(contentsOf: bytes)
    }

    package mutating func append(counted text: String) { append(counted: Array(text.utf8)) }
}

/// Reads what the functions above wrote; nil at the first thing that is not there.
package struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func integer() -> Int64? {
        guard bytes.count - position >= 8 else { return nil }
        defer { position += 8 }
        return bytes[position..<position + 8].reduce(0) { $0 << 8 | Int64($1) }
    }

    package mutating func counted() -> [UInt8]? {
        guard let count = integer(), count >= 0, count <= bytes.count - position else { return nil }
        defer { position += Int(count) }
        return Array(bytes[position..<position + Int(count)])
    }

    package mutating func string() -> String? {
        counted().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
