import Glibc

/// Lays out a statement's parameters the way libpq wants them, in memory that is used again for the next statement.
///
/// Not thread-safe; each connection pool of a loop has one.
final class ParameterBuffer {
    private var bytes: UnsafeMutableRawPointer
    private var capacity = 0
    private var slots = 0
    private(set) var values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private(set) var lengths: UnsafeMutablePointer<Int32>
    /// 1 for binary, 0 for text.
    private(set) var formats: UnsafeMutablePointer<Int32>

    init() {
        capacity = 1024
        slots = 16
        bytes = .allocate(byteCount: capacity, alignment: 1)
        values = .allocate(capacity: slots)
        lengths = .allocate(capacity: slots)
        formats = .allocate(capacity: slots)
    }

    deinit {
        bytes.deallocate()
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
    }

    /// Fills `values`, `lengths` and `formats`, which hold until the next call. `Parameter.problem(in:)` said nil.
    func fill(_ parameters: [Parameter]) {
        reserve(slots: parameters.count, bytes: parameters.reduce(0) { $0 + ParameterBuffer.size(of: $1) })
        var offset = 0
        for (index, parameter) in parameters.enumerated() {
            let start = bytes + offset
            let length: Int
            switch parameter {
            case .null:
                values[index] = nil
                lengths[index] = 0
                formats[index] = 0
                continue
            case .int(let value):
                start.storeBytes(of: value.bigEndian, as: Int64.self)
                length = 8
            case .bool(let value):
                start.storeBytes(of: value ? 1 : 0, as: UInt8.self)
                length = 1
            case .bytes(let value):
                value.withUnsafeBytes { start.copyBytes(from: $0) }
                length = value.count
            case .text(let value):
                length = start.copy(value)
                start.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
                offset += 1
            case .texts(let value):
                length = ParameterBuffer.writeArray(value, to: start)
            }
            values[index] = UnsafePointer(start.assumingMemoryBound(to: CChar.self))
            lengths[index] = Int32(length)
            if case .text = parameter { formats[index] = 0 } else { formats[index] = 1 }
            offset += length
        }
    }

    /// A large value does not stay for ever: what was needed once is given back at the next ordinary statement.
    private func reserve(slots neededSlots: Int, bytes neededBytes: Int) {
        if neededBytes > capacity || (capacity > 65_536 && neededBytes <= 65_536) {
            bytes.deallocate()
            capacity = max(neededBytes, 1024)
            bytes = .allocate(byteCount: capacity, alignment: 1)
        }
        if neededSlots > slots {
            values.deallocate()
            lengths.deallocate()
            formats.deallocate()
            slots = neededSlots
            values = .allocate(capacity: slots)
            lengths = .allocate(capacity: slots)
            formats = .allocate(capacity: slots)
        }
    }

    /// Bytes needed, with the NUL behind a text; at least one, so that an empty value has an address and is not NULL.
    private static func size(of parameter: Parameter) -> Int {
        switch parameter {
        case .null: 0
        case .int: 8
        case .bool: 1
        case .bytes(let value): max(value.count, 1)
        case .text(let value): value.utf8.count + 1
        case .texts(let value): value.reduce(20) { $0 + 4 + $1.utf8.count }
        }
    }

    /// The binary form of a text[]: dimensions, a flag for NULLs, the element's type; per dimension its size and lower
    /// bound; then each element with its length.
    private static func writeArray(_ texts: [String], to start: UnsafeMutableRawPointer) -> Int {
        var offset = 0
        func put(_ number: Int) {
            start.storeBytes(of: Int32(number).bigEndian, toByteOffset: offset, as: Int32.self)
            offset += 4
        }
        put(texts.isEmpty ? 0 : 1)
        put(0)
        put(Int(PostgresType.text))
        if texts.isEmpty { return offset }
        put(texts.count)
        put(1)
        for text in texts {
            put(text.utf8.count)
            offset += (start + offset).copy(text)
        }
        return offset
    }
}

extension UnsafeMutableRawPointer {
    /// Copies the text's UTF-8 bytes here. - Returns: their number.
    fileprivate func copy(_ text: String) -> Int {
        let copied = text.utf8.withContiguousStorageIfAvailable { source -> Int in
            copyBytes(from: UnsafeRawBufferPointer(source))
            return source.count
        }
        if let copied { return copied }
        let bytes = Array(text.utf8)
        copyBytes(from: bytes)
        return bytes.count
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func copyBytes(from source: UnsafeRawBufferPointer) {
        guard let base = source.baseAddress, source.count > 0 else { return }
        memcpy(self, base, source.count)
    }

    fileprivate func copyBytes(from source: [UInt8]) {
        source.withUnsafeBytes { copyBytes(from: $0) }
    }
}
