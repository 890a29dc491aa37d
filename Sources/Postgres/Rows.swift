import CPostgreSQL

/// A result. Columns come in binary form and are decoded on access.
public struct Rows: RandomAccessCollection, Sendable {
    let result: QueryResult

    public var startIndex: Int { 0 }
    public var endIndex: Int { Int(PQntuples(result.handle)) }
    public subscript(row: Int) -> Row {
        precondition(row >= 0 && row < endIndex, "there is no row \(row)")
        return Row(result: result, row: Int32(row))
    }

    /// Rows touched by INSERT, UPDATE or DELETE.
    public var affected: Int { PQcmdTuples(result.handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's word for what it did, such as `COMMIT` or `INSERT 0 1`.
    var commandTag: String { PQcmdStatus(result.handle).map { String(cString: $0) } ?? "" }
}

/// Owns one `PGresult`; cleared once.
///
/// `@unchecked Sendable`: the result is complete when this is made, and from then on it is only read.
final class QueryResult: @unchecked Sendable {
    let handle: OpaquePointer
    init(adopting handle: OpaquePointer) { self.handle = handle }
    deinit { PQclear(handle) }
}

/// Object identifiers of the built-in types we read and write (pg_type.dat).
enum PostgresType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let name: Oid = 19
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let json: Oid = 114
    static let textArray: Oid = 1009
    static let bpchar: Oid = 1042
    static let varchar: Oid = 1043
    static let varcharArray: Oid = 1015
    static let jsonb: Oid = 3802
}
