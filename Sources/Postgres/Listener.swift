import EventLoop

/// Keeps one connection that LISTENs, and reconnects it. Loop thread only, but for `init`.
///
/// A connection that looks alive may not be: every two seconds the server is asked whether it still is the primary, and
/// `disconnected` follows within some three more when it does not answer or is one no longer.
///
/// `@unchecked Sendable`: all state is touched on the loop's thread only, which the entrances check.
public final class Listener: @unchecked Sendable {
    public enum Event: Sendable, Equatable {
        case notification(channel: String, payload: String)
        /// Connected and listening: whatever was cached before may be stale.
        case connected
        /// The connection is lost: nothing cached may be trusted until `connected`.
        case disconnected
    }

    private let loop: EventLoop
    private let configuration: DatabaseConfiguration
    private let channels: [String]
    private let handler: @Sendable (Event) -> Void
    private var keeper: ConnectionKeeper?
    private var pulse: Timer?
    private var isListening = false

    /// `handler` is called on the loop.
    public init(
        loop: EventLoop, configuration: DatabaseConfiguration, channels: [String],
        handler: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.channels = channels
        self.handler = handler
    }

    private static let pulseInterval = Duration.seconds(2)
    private static let pulseLimit = Duration.seconds(2)

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

    /// No event comes any more, `disconnected` neither.
    public func stop() {
        loop.preconditionOnLoop()
        isListening = false
        keeper?.stop()
        keeper = nil
    }

    private func listen(on connection: Connection) {
        let sql = channels.map { "LISTEN \(Listener.quoted($0))" }.joined(separator: "; ")
        ask(connection, sql) { [unowned self] in
            isListening = true
            handler(.connected)
            beat(on: connection)
        }
    }

    /// A standby says `transaction_read_only` as well as a primary that was made read-only.
    private static let isReadWrite = Statement(
        "seleid pulse", "SELECT current_setting('transaction_read_only') = 'off'")

    private func beat(on connection: Connection) {
        pulse = Timer(on: loop, every: Listener.pulseInterval) { [weak connection, loop] in
            guard let connection, connection.state == .ready, connection.inFlight == 0 else { return }
            Task(executorPreference: loop) {
                let reply = await withUnsafeContinuation { connection.send(Listener.isReadWrite, [], $0) }
                if case .rows(let rows) = reply, rows.first?.bool(0) == true { return }
                connection.close("the server is read-only now, or did not answer")
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
