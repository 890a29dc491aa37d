import Synchronization

/// Bounds how many refusals of a client go on record from this node: a client_id is public, so anybody can have any client
/// refused as often as they like. What is over the limit is counted, and the count goes on record when the minute is over.
///
/// One for all loops of a node, which tells it when a minute is over.
public final class AuditLimiter: Sendable {
    /// How many events were left out, of one kind about one client.
    struct Suppressed {
        let kind: AuditEvent.Kind
        /// nil: of many clients together, when there are too many to be told apart.
        let clientID: String?
        let count: Int64
    }

    private struct Key: Hashable {
        let kind: AuditEvent.Kind
        let clientID: String?
    }

    private struct Count {
        var recorded = 0
        var suppressed: Int64 = 0
    }

    private let counts = Mutex<[Key: Count]>([:])
    private let limit: Int
    private let capacity: Int

    /// - Parameters:
    ///   - limit: events a minute of one kind about one client.
    ///   - capacity: pairs of kind and client that are told apart within a minute.
    public init(limit: Int = 60, capacity: Int = 10_000) {
        self.limit = limit
        self.capacity = capacity
    }

    /// Whether one more event may be recorded; if not, it has been counted.
    func admits(_ kind: AuditEvent.Kind, clientID: String?) -> Bool {
        counts.withLock { counts in
            let key = Key(kind: kind, clientID: clientID)
            guard counts[key] != nil || counts.count < capacity else {
                counts[Key(kind: kind, clientID: nil), default: Count()].suppressed += 1
                return false
            }
            guard counts[key, default: Count()].recorded < limit else {
                counts[key, default: Count()].suppressed += 1
                return false
            }
            counts[key, default: Count()].recorded += 1
            return true
        }
    }

    /// Ends the minute: all counts begin anew.
    /// - Returns: what was left out of the record meanwhile.
    func endMinute() -> [Suppressed] {
        let ended = counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
        return ended.filter { $0.value.suppressed > 0 }
            .map { Suppressed(kind: $0.key.kind, clientID: $0.key.clientID, count: $0.value.suppressed) }
    }

    /// Counts again what could not be recorded.
    func putBack(_ suppressed: Suppressed) {
        counts.withLock { counts in
            let key = Key(kind: suppressed.kind, clientID: suppressed.clientID)
            counts[key, default: Count()].suppressed += suppressed.count
        }
    }
}
