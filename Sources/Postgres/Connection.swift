import CPostgreSQL
import EventLoop

/// What came of a statement.
enum Reply: Sendable {
    case rows(Rows)
    case failed(DatabaseError)
    /// Nothing was done, and the same statement may well succeed when it is sent again.
    case again(DatabaseError)
}

typealias ReplyContinuation = UnsafeContinuation<Reply, Never>

/// What a connection tells its owner, on the loop.
protocol ConnectionOwner: AnyObject {
    func connectionIsReady(_ connection: Connection)
    /// Answers have arrived, so there is room for more statements.
    func connectionHasProgressed(_ connection: Connection)
    func connection(_ connection: Connection, heard payload: String, on channel: String)
    /// The server turned out to be read-only (SQLSTATE 25006).
    func connectionFoundReadOnlyServer(_ connection: Connection)
    /// Called once, whatever the reason.
    func connectionIsClosed(_ connection: Connection, detail: String)
}

/// Time limits of a session.
struct SessionLimits {
    let connect: Duration
    let statement: Duration
    /// After a statement's limit: until the client too asks for its cancellation, and until it gives the connection up.
    static let cancelGrace = Duration.milliseconds(250)
    static let closeGrace = Duration.seconds(1)
    static let cancelInterval = Duration.milliseconds(50)
}

/// One connection, from its first packet to its end, with the statements in flight on it.
///
/// `@unchecked Sendable`: loop thread only; it is handed from task to task of that loop.
final class Connection: @unchecked Sendable {
    enum State { case connecting, settingUp, ready, closed }

    let loop: EventLoop
    let host: Int
    let limits: SessionLimits
    weak var owner: (any ConnectionOwner)?
    private let buffer: ParameterBuffer

    var state = State.connecting
    /// nil before the start and after the end.
    var handle: OpaquePointer?
    var readWatch: Watch?
    private(set) var writeWatch: Watch?
    var connectTimer: Timer?

    var flight = Flight()
    var prepared = PreparedStatements()
    /// No more statements go to this connection; it is closed when those in flight are answered.
    var isRetiring: Bool { retirementReason != nil }
    private(set) var retirementReason: String?
    private var retirement: Timer?
    /// What the server said before it closed the connection.
    var lastWords: String?

    // The watch over the statement at the head of the flight: Connection+Deadline.swift
    var watchdog: Timer?
    /// When the head's cancellation was first asked for; nil if it was not.
    var cancelledAt: MonotonicTime?
    /// nil: as long as it takes.
    var statementLimit: Duration?

    init(loop: EventLoop, host: Int, limits: SessionLimits, buffer: ParameterBuffer, owner: any ConnectionOwner) {
        self.loop = loop
        self.host = host
        self.limits = limits
        self.buffer = buffer
        self.owner = owner
        statementLimit = limits.statement
    }

    /// Whoever lets go of a pool should have closed it; this only keeps libpq's memory and socket from staying behind.
    deinit {
        readWatch?.cancel()
        writeWatch?.cancel()
        if let handle { PQfinish(handle) }
    }

    /// Statements sent and not yet answered.
    var inFlight: Int { flight.count }

    /// Whether the session stands between BEGIN and COMMIT, as of the last answer.
    var isInTransaction: Bool { handle.map { PQtransactionStatus($0) != PQTRANS_IDLE } ?? false }

    // MARK: Sending

    /// Sends a statement with a Sync of its own, so that an error ends with it; and, before its first use on this
    /// connection, the message that prepares it.
    func send(_ statement: Statement, _ parameters: [Parameter], _ continuation: ReplyContinuation) {
        guard state == .ready, let handle else {
            return continuation.resume(returning: .failed(.unavailable(detail: "the connection was lost")))
        }
        buffer.fill(parameters)
        let variant = prepared.variant(of: statement, taking: parameters)
        let state = prepared[variant]
        var isSent = true
        if state == .unprepared {
            isSent = prepared.withTypes(of: variant) { name, types in
                PQsendPrepare(handle, name, statement.sql, Int32(types.count), types.baseAddress) == 1
            }
            prepared[variant] = .preparing
        }
        isSent =
            isSent && sendExecution(of: statement, variant, state, Int32(parameters.count))
            && PQpipelineSync(handle) == 1
        let stage = state == .unprepared ? Flight.Stage.preparing : .executing
        append(Flight.Entry(continuation: continuation, variant: variant, sentAt: .now, stage: stage))
        if isSent { flush() } else { close(failureText()) }
    }

    /// As long as its preparation is not confirmed, a statement does not rely on it: should that be refused, because a
    /// table is missing or its time ran out, then only the one statement that it came with fails.
    private func sendExecution(
        of statement: Statement, _ variant: PreparedStatements.Variant, _ state: PreparedStatements.State,
        _ count: Int32
    ) -> Bool {
        if state == .preparing {
            return prepared.withTypes(of: variant) { _, types in
                PQsendQueryParams(
                    handle, statement.sql, count, types.baseAddress, buffer.values, buffer.lengths, buffer.formats, 1)
                    == 1
            }
        }
        return PQsendQueryPrepared(
            handle, prepared.name(of: variant), count, buffer.values, buffer.lengths, buffer.formats, 1) == 1
    }

    /// Sends SQL text as it stands, possibly several statements. Nothing else may be in flight.
    /// - Parameter continuation: nil for the session's own set-up.
    func send(simple sql: String, _ continuation: ReplyContinuation?) {
        precondition(flight.isEmpty, "SQL text needs the connection for itself")
        guard state == .settingUp || state == .ready, let handle else {
            continuation?.resume(returning: .failed(.unavailable(detail: "the connection was lost")))
            return
        }
        // The simple protocol, the only one that takes several statements, does not mix with pipeline mode.
        let isSent = PQexitPipelineMode(handle) == 1 && PQsendQuery(handle, sql) == 1
        append(Flight.Entry(continuation: continuation, variant: nil, sentAt: .now, stage: .simple))
        if isSent { flush() } else { close(failureText()) }
    }

    private func append(_ entry: Flight.Entry) {
        let wasIdle = flight.isEmpty
        flight.append(entry)
        if wasIdle { headHasChanged() }
    }

    func flush() {
        guard let handle else { return }
        switch PQflush(handle) {
        case 0: writeWatch?.pause()
        case 1:
            if let writeWatch {
                writeWatch.resume()
            } else {
                writeWatch = Watch(on: loop, descriptor: PQsocket(handle), events: .write) { [unowned self] in flush() }
            }
        default: close(failureText())
        }
    }

    // MARK: The end

    /// Takes no more statements, and closes once those in flight are answered; not at once, since this is called from
    /// inside an answer, perhaps another connection's.
    func retireSoon(_ reason: String) {
        guard !isRetiring, state == .ready else { return }
        retirementReason = reason
        retirement = Timer(on: loop, after: .zero) { [unowned self] in
            if flight.isEmpty { close(reason) }
        }
    }

    /// Whether it can take a statement.
    var isUsable: Bool { state == .ready && !isRetiring }

    func tellOwnerReadOnly() { owner?.connectionFoundReadOnlyServer(self) }

    /// Closes at once. What is in flight becomes `unavailable`.
    func close(_ detail: String) {
        guard state != .closed else { return }
        state = .closed
        // Before libpq closes the socket, or in the same callback in which it did: the number is given out again.
        readWatch?.cancel()
        writeWatch?.cancel()
        connectTimer?.cancel()
        watchdog?.cancel()
        retirement?.cancel()
        if let handle { PQfinish(handle) }
        handle = nil
        let (waiting, headError) = flight.removeAll()
        for (index, continuation) in waiting.enumerated() {
            // The server has said why it refuses the first, often why it ends the session: no Sync will follow.
            let error = index == 0 ? headError.map { DatabaseError(result: $0.handle) } : nil
            continuation.resume(returning: .failed(error ?? .unavailable(detail: detail)))
        }
        owner?.connectionIsClosed(self, detail: detail)
    }
}
