import OpenID
import Postgres
import Synchronization

/// The global states of the switches, cached for all loops of this node while it hears of every change; otherwise every
/// look-up reads through.
public final class SwitchBoard: Sendable {
    private struct State {
        var trust = CacheTrust()
        var states: SwitchStates?
        var lastKnown: SwitchStates?
        /// Reads begun so far, and the one that `lastKnown` is from: a slow one does not replace what a later one has read.
        var reads = 0
        var lastKnownRead = 0
    }
    private let state = Mutex(State())

    public init() {}

    /// - Throws: when it cannot be asked, which is never "off".
    public func states(in store: SwitchStore) async throws(DatabaseError) -> SwitchStates {
        let (cached, epoch, read) = state.withLock { state in
            if state.trust.holds, let states = state.states { return (SwitchStates?.some(states), 0, 0) }
            state.reads += 1
            return (nil, state.trust.epoch, state.reads)
        }
        if let cached { return cached }
        let states = try await store.all()
        state.withLock { state in
            if read > state.lastKnownRead { (state.lastKnown, state.lastKnownRead) = (states, read) }
            if state.trust.allowsKeeping(readSince: epoch) { state.states = states }
        }
        return states
    }

    /// What was read last, for what may be a little out of date; nil when nothing has been read yet.
    public var lastKnown: SwitchStates? { state.withLock { $0.lastKnown } }

    /// Call for every event of the node's `Listener`.
    public func handle(_ event: Listener.Event) {
        state.withLock { state in
            if state.trust.take(event, isOurs: { $0 == "switches" }) { state.states = nil }
        }
    }
}
