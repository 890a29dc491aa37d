import EventLoop

/// Keeps one connection that LISTENs, and reconnects it. Loop thread only, but for `init`.
///
/// A connection that looks alive may not be: every two seconds the server is asked whether it still is the primary, and
/// `disconnected` follows within some three more when it does not answer or is one no longer. Its answers also say until
/// when the caches may be trusted (`confirmed`): a process that stood still, and so could notice nothing, must not go on
/// with what it knew before.
///
/// `@unchecked Sendable`: all state is touched on the loop's thread only, which the entrances check.
public final class Listener: @unchecked Sendable {
    public enum Event: Sendable, Equatable {
        case notification(channel: String, payload: String)
        /// Connected and listening: whatever was cached before may be stale.
        case connected
        /// Follows `connected`, and then each answer of the server: what has been heard since `connected` may be trusted until
        /// then, if `disconnected` does not come before.
        case confirmed(until: MonotonicTime)
        /// The connection is lost, or given up: nothing cached may be trusted until `connected`.
        case disconnected
    }

    /// An advisory lock that the connection holds, shared, while it listens: `pg_locks` then says who does.
    public struct Presence: Sendable {
        public let lockClass: Int32
        public let id: Int32

        public init(lockClass: Int32, id: Int32) {
            self.lockClass = lockClass
            self.id = id
        }
    }

    private let loop: EventLoop
    private let configuration: DatabaseConfiguration
    private let channels: [String]
    private let presence: Presence?
    private let handler: @Sendable (Event) -> Void
    private var keeper: ConnectionKeeper?
    private var pulse: Timer?
    private var isListening = false

    /// - Parameters:
    ///   - presence: taken before `connected`.
    ///   - handler: called on the loop.
    public init(
        loop: EventLoop, configuration: DatabaseConfiguration, channels: [String], presence: Presence? = nil,
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.channels = channels
        self.presence = presence
        self.handler = handler
    }

    private static let pulseInterval = Duration.seconds(2)
    private static let pulseLimit = Duration.seconds(2)
    /// How long after a question that the server has answered its answer is trusted. Whoever has committed a change and
    /// waits so long knows: each listener has heard of it, or trusts nothing.
    public static let trust = Duration.seconds(5)
    /// The server ends a session that has asked nothing for longer than it may trust, so that nobody waits for the dead.
    private static let idleLimit = "6s"

    public func start() {
        loop.preconditionOnLoop()
        guard keeper == nil, let plan = ConnectionPlan(configuration.connectionString) else { return }
        let keeper = ConnectionKeeper(
            loop: loop, plan: plan,
            limits: SessionLimits(connect: configuration.connectTimeout, statement: Listener.pulseLimit),
            buffer: ParameterBuffer(), outage: OutageLog(loop: loop.index, purpose: "notifications"),
            handlers: .init(
                ready: { [unowned self] in listen(on: $0) },
                heard: { [unowned self] channel, payload in
                    if isListening { handler(.notification(channel: channel, payload: payload)) }
                },
                lost: { [unowned self] _ in hasLost() }))
        self.keeper = keeper
        keeper.start()
    }

    /// `disconnected`, if it was connected, and then no event comes any more.
    public func stop() {
        loop.preconditionOnLoop()
        // Before the others can see that we are gone.
        hasLost()
        keeper?.stop()
        keeper = nil
    }

    private func listen(on connection: Connection) {
        var sql = channels.map { "LISTEN \(Listener.quoted($0))" }
        sql.append("SET idle_session_timeout = '\(Listener.idleLimit)'")
        if let presence { sql.append("SELECT pg_advisory_lock_shared(\(presence.lockClass), \(presence.id))") }
        let start = MonotonicTime.now
        ask(connection, sql.joined(separator: "; ")) { [unowned self] in
            isListening = true
            handler(.connected)
            confirm(since: start)
            beat(on: connection)
        }
    }

    private func confirm(since start: MonotonicTime) { handler(.confirmed(until: start.advanced(by: Listener.trust))) }

    /// A standby says `transaction_read_only` as well as a primary that was made read-only.
    private static let isReadWrite = Statement(
        "seleid pulse", "SELECT current_setting('transaction_read_only') = 'off'")

    private func beat(on connection: Connection) {
        pulse = Timer(on: loop, every: Listener.pulseInterval) { [weak self, weak connection, loop] in
            guard let connection, connection.state == .ready, connection.inFlight == 0 else { return }
            let start = MonotonicTime.now
            Task(executorPreference: loop) {
                let reply = await withUnsafeContinuation { connection.send(Listener.isReadWrite, [], $0) }
                guard case .rows(let rows) = reply, rows.first?.bool(0) == true else {
                    return connection.close("the server is read-only now, or did not answer")
                }
                guard let self, self.isListening, connection.state == .ready else { return }
                self.confirm(since: start)
            }
        }
    }

    private func ask(_ connection: Connection, _ sql: String, then action: @escaping () -> Void) {
        // The task stays on the loop, where `action` belongs.
        nonisolated(unsafe) let action = action
        Task(executorPreference: loop) {
            let reply = await withUnsafeContinuation { connection.send(simple: sql, $0) }
            guard connection.state == .ready else { return }
            if case .rows = reply { action() } else { connection.close("LISTEN was refused") }
        }
    }

    private func hasLost() {
        pulse?.cancel()
        pulse = nil
        guard isListening else { return }
        isListening = false
        handler(.disconnected)
    }

    /// An SQL identifier.
    private static func quoted(_ channel: String) -> String {
        "\"" + channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
