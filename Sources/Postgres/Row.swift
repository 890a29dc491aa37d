import CPostgreSQL

/// One row. Reading a column as another type than the statement gives it is a programming error and traps, except
/// that `int` reads int2, int4 and int8, and `string` reads text, varchar, char, name, json and jsonb. So does reading
/// NULL by one of the methods that cannot say it.
public struct Row: Sendable {
    let result: QueryResult
    let row: Int32

    public func isNull(_ column: Int) -> Bool {
        check(column)
        return PQgetisnull(result.handle, row, Int32(column)) == 1
    }

    public func int(_ column: Int) -> Int64 {
        let bytes = value(column)
        switch PQftype(result.handle, Int32(column)) {
        case PostgresType.int8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case PostgresType.int4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case PostgresType.int2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case let type: wrongType(column, type, "an integer")
        }
    }

    public func string(_ column: Int) -> String {
        let bytes = value(column)
        switch PQftype(result.handle, Int32(column)) {
        case PostgresType.text, PostgresType.varchar, PostgresType.bpchar, PostgresType.name, PostgresType.json:
            return String(decoding: bytes, as: UTF8.self)
        case PostgresType.jsonb:
            precondition(bytes.first == 1, "the server's jsonb has another version than 1")
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        case let type: wrongType(column, type, "text")
        }
    }

    public func bytes(_ column: Int) -> [UInt8] {
        let bytes = value(column)
        let type = PQftype(result.handle, Int32(column))
        guard type == PostgresType.bytea else { wrongType(column, type, "bytea") }
        return Array(bytes)
    }

    public func bool(_ column: Int) -> Bool {
        let bytes = value(column)
        let type = PQftype(result.handle, Int32(column))
        guard type == PostgresType.bool else { wrongType(column, type, "a boolean") }
        return bytes[0] != 0
    }

    /// text[] (one dimension, no NULL elements).
    public func strings(_ column: Int) -> [String] {
        let bytes = value(column)
        let type = PQftype(result.handle, Int32(column))
        guard type == PostgresType.textArray || type == PostgresType.varcharArray else {
            wrongType(column, type, "text[]")
        }
        var offset = 0
        func next() -> Int {
            defer { offset += 4 }
            return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        let dimensions = next()
        offset += 8  // whether there are NULLs (each says so itself), and the element's type
        if dimensions == 0 { return [] }
        precondition(dimensions == 1, "column \(column) is an array of \(dimensions) dimensions")
        let count = next()
        offset += 4  // lower bound
        return (0..<count).map { _ in
            let length = next()
            precondition(length >= 0, "column \(column) holds an array with a NULL")
            defer { offset += length }
            return String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        }
    }

    public func optionalInt(_ column: Int) -> Int64? { isNull(column) ? nil : int(column) }
    public func optionalString(_ column: Int) -> String? { isNull(column) ? nil : string(column) }
    public func optionalBytes(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// The column's bytes, which live as long as `result`.
    private func value(_ column: Int) -> UnsafeRawBufferPointer {
        precondition(!isNull(column), "column \(column) is NULL")
        let start = PQgetvalue(result.handle, row, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result.handle, row, Int32(column))))
    }

    private func check(_ column: Int) {
        precondition(column >= 0 && column < Int(PQnfields(result.handle)), "there is no column \(column)")
    }

    private func wrongType(_ column: Int, _ type: Oid, _ wanted: StaticString) -> Never {
        preconditionFailure("column \(column) is of type \(type), not \(wanted)")
    }
}
