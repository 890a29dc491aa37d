import EventLoop

/// Keeps one connection alive: connects, and after each loss connects again, host after host, with back-off and jitter.
///
/// Loop thread only.
final class ConnectionKeeper: ConnectionOwner {
    /// What the owner wants to know.
    struct Handlers {
        var ready: (Connection) -> Void
        var progressed: () -> Void = {}
        var heard: (_ channel: String, _ payload: String) -> Void = { _, _ in }
        var foundReadOnlyServer: () -> Void = {}
        /// A connection that was ready is gone.
        var lost: (Connection) -> Void
    }

    private let loop: EventLoop
    private let plan: ConnectionPlan
    private let limits: SessionLimits
    private let buffer: ParameterBuffer
    private let handlers: Handlers
    private let outage: OutageLog

    private(set) var connection: Connection?
    private var wasReady = false
    private var hostsTried = 0
    /// Failed ones since the beginning; it does not begin anew, so that the address that was good is first again.
    private var attempts = 0
    private var backoff = Backoff()
    private var retryTimer: Timer?
    private var isStopped = true

    init(
        loop: EventLoop, plan: ConnectionPlan, limits: SessionLimits, buffer: ParameterBuffer, outage: OutageLog,
        handlers: Handlers
    ) {
        self.loop = loop
        self.plan = plan
        self.limits = limits
        self.buffer = buffer
        self.outage = outage
        self.handlers = handlers
    }

    func start() {
        guard isStopped else { return }
        isStopped = false
        connect()
    }

    /// Ends a wait between attempts.
    func hurry() {
        if retryTimer != nil { connect() }
    }

    /// Ends the connection when its statements are answered; at once when it is still being made.
    func leaveServer(_ reason: String) {
        if wasReady { connection?.retireSoon(reason) } else { connection?.close(reason) }
    }

    /// Closes the connection, and makes no other.
    func stop() {
        isStopped = true
        retryTimer?.cancel()
        retryTimer = nil
        connection?.close("the pool is closed")
    }

    private func connect() {
        retryTimer = nil
        let host = (plan.preferred + hostsTried) % plan.hostCount
        let connection = Connection(loop: loop, host: host, limits: limits, buffer: buffer, owner: self)
        self.connection = connection
        connection.start(plan.parameters(host: host), attempt: attempts)
    }

    func connectionIsReady(_ connection: Connection) {
        wasReady = true
        hostsTried = 0
        backoff.reset()
        plan.prefer(host: connection.host)
        outage.connected()
        handlers.ready(connection)
    }

    func connectionHasProgressed(_ connection: Connection) { handlers.progressed() }

    func connection(_ connection: Connection, heard payload: String, on channel: String) {
        handlers.heard(channel, payload)
    }

    func connectionFoundReadOnlyServer(_ connection: Connection) {
        plan.avoid(host: connection.host)
        handlers.foundReadOnlyServer()
    }

    func connectionIsClosed(_ connection: Connection, detail: String) {
        self.connection = nil
        let isLoss = wasReady
        wasReady = false
        if !isStopped {
            outage.failed(detail)
            if !isLoss { attempts += 1 }
            hostsTried = isLoss ? 0 : hostsTried + 1
            if hostsTried == 0 || hostsTried >= plan.hostCount {
                hostsTried = 0
                retryTimer = Timer(on: loop, after: backoff.next()) { [unowned self] in connect() }
            } else {
                retryTimer = Timer(on: loop, after: .zero) { [unowned self] in connect() }
            }
        }
        if isLoss { handlers.lost(connection) }
    }
}
