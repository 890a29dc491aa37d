import CPostgreSQL

/// Why a query gave no result. `detail` is for the log only: it may hold the server's text.
public enum DatabaseError: Error, CustomStringConvertible, Sendable {
    /// We could not ask, or do not know the outcome: no connection, connection lost, time-out, pool exhausted, server
    /// shutting down, read-only server, out of resources. Answer 503; nothing may be concluded from it.
    case unavailable(detail: String)
    /// The server refused the statement, with its SQLSTATE (e.g. 23505 unique_violation) and the constraint's name.
    case refused(sqlState: String, constraint: String?, detail: String)

    /// Safe to show.
    public var description: String {
        switch self {
        case .unavailable: "the database cannot be reached"
        case .refused(let sqlState, _, _): "the database refused a statement (SQLSTATE \(sqlState))"
        }
    }

    /// For the log only. It never holds the server's DETAIL, HINT or CONTEXT, which quote rows and parameters.
    public var detail: String {
        switch self {
        case .unavailable(let detail), .refused(_, _, let detail): detail
        }
    }
}

extension DatabaseError {
    /// The server's refusal in `result`.
    init(result: OpaquePointer) {
        guard let sqlState = DatabaseError.field(.sqlState, of: result) else {
            // libpq's own words: the connection broke.
            let text = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
            self = .unavailable(detail: text.isEmpty ? "the connection was lost" : text.onOneLine)
            return
        }
        let message = DatabaseError.field(.message, of: result) ?? ""
        let detail = "\(sqlState): \(DatabaseError.withoutValue(message, sqlState: sqlState))"
        if DatabaseError.meansUnavailable(sqlState) {
            self = .unavailable(detail: detail)
        } else {
            let constraint = DatabaseError.field(.constraint, of: result)
            self = .refused(sqlState: sqlState, constraint: constraint, detail: detail)
        }
    }

    /// Whether the SQLSTATE says that the server could not do what was asked, whatever that was.
    static func meansUnavailable(_ sqlState: String) -> Bool {
        switch sqlState {
        case "25006": true  // read_only_sql_transaction: a demoted primary
        case "25P03": true  // idle_in_transaction_session_timeout: the session is gone
        default:
            switch sqlState.prefix(2) {
            case "08": true  // connection exception
            case "53": true  // insufficient resources
            case "57": true  // operator intervention: cancelled, shutting down, starting up
            case "58": true  // system error: the server's disk, not our statement
            default: false
            }
        }
    }

    /// Data exceptions (class 22) quote the value behind a colon: `invalid input syntax for type bigint: "…"`.
    private static func withoutValue(_ message: String, sqlState: String) -> Substring {
        guard sqlState.hasPrefix("22"), let quote = message.utf8.firstIndex(of: UInt8(ascii: "\"")) else {
            return message[...]
        }
        return message[..<quote]
    }

    /// Fields of an error report; the macros of postgres_ext.h are character constants, which Swift does not import.
    enum Field: UInt8 {
        case severity = 0x56  // V, PG_DIAG_SEVERITY_NONLOCALIZED
        case sqlState = 0x43  // C
        case message = 0x4D  // M, PG_DIAG_MESSAGE_PRIMARY
        case constraint = 0x6E  // n
        case sourceFunction = 0x52  // R
    }

    static func field(_ field: Field, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, Int32(field.rawValue)).map { String(cString: $0) }
    }
}

extension String {
    /// libpq's texts have several lines, with tabs.
    var onOneLine: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
