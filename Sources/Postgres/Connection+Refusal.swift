import CPostgreSQL

extension Connection {
    /// What a refusal means for the caller, for the table of prepared statements and for the connection itself.
    func reply(to entry: Flight.Entry, refusedBy result: QueryResult) -> Reply {
        let sqlState = DatabaseError.field(.sqlState, of: result.handle) ?? ""
        let error = DatabaseError(result: result.handle)
        if entry.isPreparationError, let variant = entry.variant {
            // 42P05: it is prepared already, since an earlier attempt came through after all.
            prepared[variant] = sqlState == "42P05" ? .prepared : .unprepared
            if sqlState == "42P05" { return .again(error) }
        }
        switch sqlState {
        case "40001", "40P01":  // serialization failure, deadlock
            return .again(error)
        case "26000":  // somebody dropped it, or gave us another session than before
            guard let variant = entry.variant else { return .failed(error) }
            prepared[variant] = .unprepared
            return .again(error)
        case "0A000" where DatabaseError.field(.sourceFunction, of: result.handle) == "RevalidateCachedQuery":
            // A migration changed the columns of what was prepared. A new session prepares it anew.
            retireSoon("the columns of a prepared statement have changed")
            return .again(error)
        case "25006":  // a primary no more
            tellOwnerReadOnly()
            return .failed(error)
        default:
            return .failed(error)
        }
    }
}
