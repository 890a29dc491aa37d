import Postgres
import Synchronization

/// Clients by their id, cached for all loops of this node while it hears of every change.
///
/// A change anywhere drops the entry through NOTIFY; without that every look-up reads through, so a client that was switched
/// off is off at the next request in either case.
public final class ClientDirectory: Sendable {
    private struct State {
        var trust = CacheTrust()
        var records: [String: ClientRecord] = [:]
    }
    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: entries at most; the cache starts anew when it is full.
    public init(capacity: Int = 10_000) { self.capacity = capacity }

    /// - Throws: `DatabaseError` or `StoredDataError`, never "unknown" for what could not be asked.
    public func find(_ clientID: String, in store: ClientStore) async throws -> ClientRecord? {
        let (cached, epoch) = state.withLock { state in
            (state.trust.holds ? state.records[clientID] : nil, state.trust.epoch)
        }
        if let cached { return cached }
        // Unknown ids are not kept: they are free to invent, and would push out the real ones.
        guard let record = try await store.find(clientID) else { return nil }
        state.withLock { state in
            guard state.trust.allowsKeeping(readSince: epoch) else { return }
            if state.records.count >= capacity { state.records.removeAll(keepingCapacity: true) }
            state.records[clientID] = record
        }
        return record
    }

    private static let prefix = "client:"

    /// Call for every event of the node's `Listener`.
    public func handle(_ event: Listener.Event) {
        state.withLock { state in
            guard state.trust.take(event, isOurs: { $0.hasPrefix(Self.prefix) }) else { return }
            if case .notification(_, let payload) = event {
                state.records[String(payload.dropFirst(Self.prefix.count))] = nil
            } else {
                state.records.removeAll()
            }
        }
    }
}
