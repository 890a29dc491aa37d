import OpenID
import Postgres
import Synchronization

/// The global states of the switches, cached for all loops of this node while its LISTEN connection is up; without it every
/// look-up reads through.
public final class SwitchBoard: Sendable {
    private struct State {
        var states: SwitchStates?
        /// Whether NOTIFY reaches us.
        var isTrusted = false
        /// Counts invalidations: what was being read while one came must not be kept.
        var epoch = 0
        var lastKnown: SwitchStates?
    }
    private let state = Mutex(State())

    public init() {}

    /// - Throws: when it cannot be asked, which is never "off".
    public func states(in store: SwitchStore) async throws(DatabaseError) -> SwitchStates {
        let (cached, epoch) = state.withLock { ($0.isTrusted ? $0.states : nil, $0.epoch) }
        if let cached { return cached }
        let states = try await store.all()
        state.withLock { state in
            state.lastKnown = states
            guard state.isTrusted, state.epoch == epoch else { return }
            state.states = states
        }
        return states
    }

    /// What was read last, for what may be a little out of date; nil when nothing has been read yet.
    public var lastKnown: SwitchStates? { state.withLock { $0.lastKnown } }

    /// Call for every event of the node's `Listener`.
    public func handle(_ event: Listener.Event) {
        state.withLock { state in
            switch event {
            case .notification(_, let payload) where payload != "switches": return
            case .notification: break
            case .connected: state.isTrusted = true
            case .disconnected: state.isTrusted = false
            }
            state.epoch += 1
            state.states = nil
        }
    }
}
