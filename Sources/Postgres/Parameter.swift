import Glibc

/// A parameter. `int` goes as binary int8 (so write `$1::int` where the column is narrower), `bytes` as binary bytea,
/// `bool` as binary bool, `text` as text of any type (`$1::jsonb`, `$1::text[]` …), `texts` as a text[] value.
public enum Parameter: Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case bytes([UInt8])
    case text(String)
    case texts([String])
    public static func optional(_ value: String?) -> Parameter { value.map { .text($0) } ?? .null }
    public static func optional(_ value: Int64?) -> Parameter { value.map { .int($0) } ?? .null }
    public static func optional(_ value: [UInt8]?) -> Parameter { value.map { .bytes($0) } ?? .null }
}

extension Parameter {
    /// The type a statement is prepared with; `inferred` leaves it to the server, from the place in the statement.
    enum Kind: UInt32 {
        case inferred = 0
        case bool = 16
        case bytea = 17
        case int8 = 20
        case textArray = 1009
    }

    var kind: Kind {
        switch self {
        case .null, .text: .inferred
        case .int: .int8
        case .bool: .bool
        case .bytes: .bytea
        case .texts: .textArray
        }
    }

    /// Whether a statement prepared with `kind` at this place can take the parameter. NULL fits every type.
    func fits(_ kind: Kind) -> Bool {
        if case .null = self { return true }
        return self.kind == kind
    }

    /// Why the parameters cannot be sent, or nil. PostgreSQL has no NUL in text, and libpq would cut the value there
    /// without a word, so that another value than the caller's would be looked up or stored.
    static func problem(in parameters: [Parameter]) -> DatabaseError? {
        precondition(parameters.count <= Int(UInt16.max), "PostgreSQL takes at most 65,535 parameters")
        var size = 0
        for parameter in parameters {
            switch parameter {
            case .null, .int, .bool: continue
            case .bytes(let bytes): size += bytes.count
            case .text(let text):
                if text.holdsNUL { return nul }
                size += text.utf8.count
            case .texts(let texts):
                for text in texts {
                    if text.holdsNUL { return nul }
                    size += text.utf8.count + 4
                }
            }
        }
        guard size <= sizeLimit else {
            return .refused(sqlState: "54000", constraint: nil, detail: "the parameters are over 256 MB")
        }
        return nil
    }

    private static let nul = DatabaseError.refused(
        sqlState: "22021", constraint: nil, detail: "a text parameter holds a NUL")
    /// Far below the server's 1 GB for one value, and below what an Int32 length can say.
    private static let sizeLimit = 256 << 20
}

extension String {
    /// Whether the text holds U+0000.
    var holdsNUL: Bool {
        let answer = utf8.withContiguousStorageIfAvailable { bytes -> Bool in
            guard let base = bytes.baseAddress, bytes.count > 0 else { return false }
            return memchr(base, 0, bytes.count) != nil
        }
        return answer ?? utf8.contains(0)
    }
}
