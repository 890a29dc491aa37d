import EventLoop
import JSON
import Postgres
import Synchronization
import Telemetry

/// Lets who has changed something wait until every live node obeys the change.
///
/// Each node's listening connection holds an advisory lock, so `pg_locks` names the nodes that listen. Who waits notifies a
/// ping, and each node that hears it notifies a pong. PostgreSQL delivers in the order of the commits: who has heard the ping
/// has heard of the change before. A node that listens only later has read nothing yet that it would keep, and one that does
/// not answer has stopped trusting what it knew when `Listener.trust` is over. So that is the longest wait.
public final class ChangeBarrier: Sendable {
    /// The channel of all that nodes tell each other.
    static let channel = "seleid"
    private static let lockClass: Int32 = 7_357_003
    /// How long answers are waited for until the nodes are looked at and asked once more: one may have missed the ping
    /// between two connections, or be gone.
    private static let patience = Duration.milliseconds(250)

    /// Of this node, for as long as its process lives.
    let presence = Listener.Presence(lockClass: lockClass, id: .random(in: 0...(.max)))
    private let state = Mutex(State())

    private struct State {
        var isListening = false
        /// Those whose answers are waited for, by the word of their ping.
        var rounds: [String: Round] = [:]
        /// The latest round, and whether its ping is still to come: it then serves for what is changed now as well.
        var latest: Task<Void, Never>?
        var isOpen = false
    }

    init() {}

    /// Call for every event of the node's `Listener`, after those who must obey.
    /// - Returns: the answer to notify once all is obeyed that was heard until now.
    func handle(_ event: Listener.Event) -> String? {
        switch event {
        case .connected: state.withLock { $0.isListening = true }
        case .disconnected: state.withLock { $0.isListening = false }
        case .confirmed: break
        case .notification(_, let payload):
            let parts = payload.split(separator: ":").map(String.init)
            if parts.count == 2, parts[0] == "ping" { return "pong:\(parts[1]):\(presence.id)" }
            if parts.count == 3, parts[0] == "pong" { state.withLock { $0.rounds[parts[1]] }?.hear(from: parts[2]) }
        }
        return nil
    }

    private static let notifyStatement = Statement("node_notify", "SELECT pg_notify($1, $2)")

    /// Notifies what `handle` returned. An answer that does not get out makes the other wait, no more.
    func answer(_ answer: String, via database: Database) async {
        _ = try? await database.query(Self.notifyStatement, [.text(Self.channel), .text(answer)])
    }

    // MARK: Waiting

    /// Returns when every live node obeys what was committed before the call; after `Listener.trust` in any case. Calls that
    /// come while others wait share the next ping.
    /// - Parameter database: the one of `loop`.
    func settle(via database: Database, on loop: EventLoop) async {
        let round = state.withLock { state in
            if state.isOpen, let latest = state.latest { return latest }
            let former = state.latest
            let round = Task(executorPreference: loop) { [self] in
                await former?.value
                self.state.withLock { $0.isOpen = false }
                await ask(via: database, on: loop)
            }
            state.latest = round
            state.isOpen = true
            return round
        }
        await round.value
    }

    /// The same for a command, which is no node and listens for this only.
    public static func settle(
        via database: Database, on loop: EventLoop, _ configuration: DatabaseConfiguration
    ) async {
        let barrier = ChangeBarrier()
        let listener = Listener(loop: loop, configuration: configuration, channels: [channel]) {
            _ = barrier.handle($0)
        }
        listener.start()
        await barrier.settle(via: database, on: loop)
        listener.stop()
    }

    private func ask(via database: Database, on loop: EventLoop) async {
        let end = MonotonicTime.now.advanced(by: Listener.trust)
        // What cannot hear answers need not ask.
        while !state.withLock({ $0.isListening }), MonotonicTime.now < end { await loop.sleep(for: .milliseconds(5)) }
        let word = String(UInt64.random(in: 0...(.max)), radix: 16)
        let round = Round()
        state.withLock { $0.rounds[word] = round }
        defer { state.withLock { _ = $0.rounds.removeValue(forKey: word) } }
        var awaited: Set<String>?
        while MonotonicTime.now < end {
            if let listening = try? await ping(word, via: database) {
                let nodes = awaited.map(listening.intersection) ?? listening
                awaited = nodes
                if await round.waits(for: nodes, atMost: Self.patience, on: loop) { return }
            } else {
                await loop.sleep(for: Self.patience)
            }
        }
        Log.warning("change.not_confirmed", [.init("nodes", awaited.map { .integer(Int64($0.count)) } ?? .null)])
    }

    private static let pingStatement = Statement(
        "node_ping",
        """
        SELECT pg_notify($1, $2), ARRAY(
            SELECT objid::text FROM pg_locks
            WHERE locktype = 'advisory' AND classid = \(lockClass) AND objsubid = 2 AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        """)

    /// - Returns: the nodes that listen.
    private func ping(_ word: String, via database: Database) async throws(DatabaseError) -> Set<String> {
        Set(try await database.query(Self.pingStatement, [.text(Self.channel), .text("ping:\(word)")])[0].strings(1))
    }
}

/// One ping: who has answered, and who is waited for.
private final class Round: Sendable {
    private struct State {
        var answered: Set<String> = []
        var awaited: Set<String> = []
        var continuation: UnsafeContinuation<Bool, Never>?

        mutating func take() -> UnsafeContinuation<Bool, Never>? {
            defer { continuation = nil }
            return continuation
        }

        /// The continuation when all have answered.
        mutating func takeIfComplete() -> UnsafeContinuation<Bool, Never>? {
            awaited.isSubset(of: answered) ? take() : nil
        }
    }
    private let state = Mutex(State())

    func hear(from node: String) {
        state.withLock { state in
            state.answered.insert(node)
            return state.takeIfComplete()
        }?.resume(returning: true)
    }

    /// - Returns: whether all of them have answered by then. One call at a time; on the loop.
    func waits(for nodes: Set<String>, atMost limit: Duration, on loop: EventLoop) async -> Bool {
        let timer = Timer(on: loop, after: limit) { self.state.withLock { $0.take() }?.resume(returning: false) }
        defer { timer.cancel() }
        return await withUnsafeContinuation { continuation in
            state.withLock { state in
                state.awaited = nodes
                state.continuation = continuation
                return state.takeIfComplete()
            }?.resume(returning: true)
        }
    }
}
