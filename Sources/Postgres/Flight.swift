import CPostgreSQL
import EventLoop

/// The statements sent on a connection and not yet answered, in order, and what has arrived for the first of them.
///
/// libpq gives, for each: the result of preparing it and NULL (only if it was prepared on the way), its own result and
/// NULL, then the result of its Sync. Only the last one says that it is committed: an error may still come before it
/// (a deferred constraint, a serialization failure), so nothing is reported earlier.
struct Flight {
    enum Stage { case preparing, executing, syncing, simple }

    struct Entry {
        /// nil for the connection's own set-up.
        let continuation: ReplyContinuation?
        let variant: PreparedStatements.Variant?
        let sentAt: MonotonicTime
        var stage: Stage
        /// What came of preparing it on the way.
        var hasPrepared = false
        var isPreparationError = false
    }

    enum Step { case more, finished, confused }

    /// Since when the head is the server's to answer.
    var headSince = MonotonicTime.never

    private var entries: [Entry] = []
    private var first = 0
    private var result: QueryResult?
    private var error: QueryResult?

    var count: Int { entries.count - first }
    var isEmpty: Bool { first == entries.count }
    /// When the head was sent, maybe behind others; there must be one.
    var headSentAt: MonotonicTime { entries[first].sentAt }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Takes one result for the head, which must exist.
    mutating func take(_ handle: OpaquePointer) -> Step {
        if PQresultStatus(handle) == PGRES_PIPELINE_SYNC {
            PQclear(handle)
            return entries[first].stage == .syncing ? .finished : .confused
        }
        let taken = QueryResult(adopting: handle)
        switch PQresultStatus(handle) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            if entries[first].stage == .preparing { entries[first].hasPrepared = true } else { result = taken }
        case PGRES_PIPELINE_ABORTED: break  // its preparation failed, and that error is kept
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            if error == nil {
                error = taken
                entries[first].isPreparationError = entries[first].stage == .preparing
            }
        default: return .confused  // COPY, which we never ask for
        }
        return .more
    }

    /// libpq gave NULL. - Returns: whether the head is finished.
    mutating func commandHasEnded() -> Bool {
        switch entries[first].stage {
        case .preparing: entries[first].stage = .executing
        case .executing: entries[first].stage = .syncing
        case .syncing: break
        case .simple: return true
        }
        return false
    }

    /// Takes the finished head out, with its result or its error.
    mutating func popHead() -> (Entry, result: QueryResult?, error: QueryResult?) {
        let entry = entries[first]
        first += 1
        if first == entries.count {
            entries.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 256 {
            entries.removeFirst(first)
            first = 0
        }
        defer {
            result = nil
            error = nil
        }
        return (entry, result, error)
    }

    /// Empties the flight. - Returns: who waits for an answer, and what the first of them has been told already.
    mutating func removeAll() -> ([ReplyContinuation], headError: QueryResult?) {
        defer { self = Flight() }
        return (entries[first...].compactMap(\.continuation), error)
    }
}
