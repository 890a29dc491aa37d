import Postgres
import Synchronization

/// Clients by their id, cached for all loops of this node while its LISTEN connection is up.
///
/// A change anywhere drops the entry through NOTIFY; without the connection every look-up reads through, so a client that
/// was switched off is off at the next request in either case.
public final class ClientDirectory: Sendable {
    private struct State {
        var records: [String: ClientRecord] = [:]
        /// Whether NOTIFY reaches us.
        var isTrusted = false
        /// Counts invalidations: a record that was being read while one came must not be kept.
        var epoch = 0
    }
    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: entries at most; the cache starts anew when it is full.
    public init(capacity: Int = 10_000) { self.capacity = capacity }

    /// - Throws: `DatabaseError` or `StoredDataError`, never "unknown" for what could not be asked.
    public func find(_ clientID: String, in store: ClientStore) async throws -> ClientRecord? {
        let (cached, epoch) = state.withLock { ($0.isTrusted ? $0.records[clientID] : nil, $0.epoch) }
        if let cached { return cached }
        // Unknown ids are not kept: they are free to invent, and would push out the real ones.
        guard let record = try await store.find(clientID) else { return nil }
        state.withLock { state in
            guard state.isTrusted, state.epoch == epoch else { return }
            if state.records.count >= capacity { state.records.removeAll(keepingCapacity: true) }
            state.records[clientID] = record
        }
        return record
    }

    /// Call for every event of the node's `Listener`.
    public func handle(_ event: Listener.Event) {
        state.withLock { state in
            state.epoch += 1
            switch event {
            case .connected:
                state.records.removeAll()
                state.isTrusted = true
            case .disconnected:
                state.records.removeAll()
                state.isTrusted = false
            case .notification(_, let payload):
                guard payload.hasPrefix("client:") else { return }
                state.records[String(payload.dropFirst("client:".count))] = nil
            }
        }
    }
}
