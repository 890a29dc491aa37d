import EventLoop

/// The PostgreSQL client of one loop. Loop thread only, but for `init`. Close it before letting go of it.
///
/// `@unchecked Sendable`: tasks of the loop share it; all state is touched on the loop's thread only, which the
/// entrances check.
public final class Database: @unchecked Sendable {
    let loop: EventLoop
    let configuration: DatabaseConfiguration

    private var shared: [ConnectionKeeper] = []
    private var exclusive: [ConnectionKeeper] = []
    private(set) var readyShared: [Connection] = []
    private(set) var idleExclusive: [Connection] = []
    private var exclusiveInUse = 0

    private struct Waiting {
        let statement: Statement
        let parameters: [Parameter]
        let continuation: ReplyContinuation
    }
    private var waiting: WaitingLine<Waiting>?
    private var waitingForExclusive: WaitingLine<UnsafeContinuation<Connection?, Never>>?
    private var isClosing = false
    private var drained: [UnsafeContinuation<Void, Never>] = []
    private let outage: OutageLog

    /// Statements in flight on one shared connection; more wait in our own line, where their time can run out without
    /// harm. Deep enough that a connection never idles between answers.
    private static let pipelineDepth = 64
    /// A connection whose oldest statement takes longer than this is avoided while there is another.
    static let stallTime = Duration.milliseconds(20)
    /// How often a statement or transaction is tried again.
    static let retryLimit = 3

    public init(loop: EventLoop, configuration: DatabaseConfiguration) {
        self.loop = loop
        self.configuration = configuration
        outage = OutageLog(loop: loop.index, purpose: "queries")
    }

    /// Begins connecting (and keeps reconnecting, with back-off and jitter); does not wait.
    public func start() {
        loop.preconditionOnLoop()
        guard waiting == nil, !isClosing else { return }
        waiting = WaitingLine(loop: loop, limit: configuration.acquireTimeout) { [outage] in
            $0.continuation.resume(returning: .failed(outage.noConnection))
        }
        waitingForExclusive = WaitingLine(loop: loop, limit: configuration.acquireTimeout) { $0.resume(returning: nil) }
        guard let plan = ConnectionPlan(configuration.connectionString) else { return }
        let buffer = ParameterBuffer()
        let limits = SessionLimits(connect: configuration.connectTimeout, statement: configuration.statementTimeout)
        func keeper(_ handlers: ConnectionKeeper.Handlers) -> ConnectionKeeper {
            ConnectionKeeper(loop: loop, plan: plan, limits: limits, buffer: buffer, outage: outage, handlers: handlers)
        }
        shared = (0..<max(configuration.sharedConnections, 1)).map { _ in
            keeper(
                .init(
                    ready: { [unowned self] in
                        readyShared.append($0)
                        hurryOthers()
                        dispatch()
                    },
                    progressed: { [unowned self] in dispatch() },
                    foundReadOnlyServer: { [unowned self] in leaveServer() },
                    lost: { [unowned self] connection in
                        readyShared.removeAll { $0 === connection }
                        checkDrained()
                    }))
        }
        exclusive = (0..<max(configuration.exclusiveConnections, 1)).map { _ in
            keeper(
                .init(
                    ready: { [unowned self] in
                        hurryOthers()
                        offer($0)
                    },
                    foundReadOnlyServer: { [unowned self] in leaveServer() },
                    lost: { [unowned self] connection in idleExclusive.removeAll { $0 === connection } }))
        }
        for keeper in shared + exclusive { keeper.start() }
    }

    // MARK: Single statements

    /// Runs one statement on a shared connection; one round trip, autocommit. Not retried: after a lost connection the
    /// outcome is unknown and the error is `unavailable`. A statement that the server refuses with 40001 or 40P01 is
    /// tried again up to three times, and then `unavailable`.
    public func query(_ statement: Statement, _ parameters: [Parameter] = []) async throws(DatabaseError) -> Rows {
        loop.preconditionOnLoop()
        if let problem = Parameter.problem(in: parameters) { throw problem }
        var retries = 0
        while true {
            let reply = await withUnsafeContinuation { submit(statement, parameters, $0) }
            switch reply {
            case .rows(let rows): return rows
            case .failed(let error): throw error
            case .again(let error):
                retries += 1
                try await prepareRetry(retries, after: error)
            }
        }
    }

    /// Waits a moment when others were in the way: who comes back at once takes the row from under the one who had been
    /// waiting for it, and both stand in the next deadlock.
    func prepareRetry(_ number: Int, after error: DatabaseError) async throws(DatabaseError) {
        guard number <= Database.retryLimit else {
            throw .unavailable(detail: "tried again \(Database.retryLimit) times: \(error.detail)")
        }
        guard case .refused(let sqlState, _, _) = error, sqlState.hasPrefix("40") else { return }
        await loop.sleep(for: .milliseconds(number * Int.random(in: 20...60)))
    }

    private func submit(_ statement: Statement, _ parameters: [Parameter], _ continuation: ReplyContinuation) {
        guard let waiting, !isClosing || !drained.isEmpty else {
            return continuation.resume(returning: .failed(.unavailable(detail: "the pool is not open")))
        }
        guard outstanding < configuration.queueLimit else {
            return continuation.resume(returning: .failed(.unavailable(detail: "too many queries are waiting")))
        }
        if waiting.isEmpty, let connection = pickShared() {
            connection.send(statement, parameters, continuation)
        } else {
            waiting.append(Waiting(statement: statement, parameters: parameters, continuation: continuation))
        }
    }

    /// The least busy of the connections that have room.
    private func pickShared() -> Connection? {
        var best: Connection?
        var least = Int.max
        for connection in readyShared where !connection.isRetiring && connection.inFlight < Database.pipelineDepth {
            if connection.inFlight == 0 { return connection }
            let isStalled = MonotonicTime.now.duration(since: connection.headSince) > Database.stallTime
            let load = connection.inFlight + (isStalled ? Database.pipelineDepth : 0)
            if load < least { (best, least) = (connection, load) }
        }
        return best
    }

    private func dispatch() {
        guard let waiting else { return }
        while !waiting.isEmpty, let connection = pickShared(), let next = waiting.popFirst() {
            connection.send(next.statement, next.parameters, next.continuation)
        }
        checkDrained()
    }

    /// One has reached the server, so the others need not wait out their back-off.
    private func hurryOthers() {
        for keeper in shared + exclusive { keeper.hurry() }
    }

    /// The server is read-only: no connection of ours stays there.
    private func leaveServer() {
        for keeper in shared + exclusive { keeper.leaveServer("the server is read-only") }
    }

    // MARK: Exclusive connections

    /// A connection for the caller alone, to be given back with `release`.
    func acquire() async throws(DatabaseError) -> Connection {
        loop.preconditionOnLoop()
        guard let waitingForExclusive, !isClosing else { throw .unavailable(detail: "the pool is not open") }
        guard outstanding < configuration.queueLimit else {
            throw .unavailable(detail: "too many queries are waiting")
        }
        while let connection = idleExclusive.popLast() {
            guard connection.isUsable else { continue }
            exclusiveInUse += 1
            return connection
        }
        let connection = await withUnsafeContinuation { waitingForExclusive.append($0) }
        guard let connection else { throw outage.noConnection }
        return connection
    }

    func release(_ connection: Connection) {
        exclusiveInUse -= 1
        connection.setStatementLimit(configuration.statementTimeout)
        if connection.isRetiring || connection.isInTransaction {
            connection.close("a transaction was left open")
        } else if connection.state == .ready {
            offer(connection)
        }
        checkDrained()
    }

    /// Hands the connection to who waits first, or puts it by.
    private func offer(_ connection: Connection) {
        if let next = waitingForExclusive?.popFirst() {
            exclusiveInUse += 1
            next.resume(returning: connection)
        } else {
            idleExclusive.append(connection)
        }
    }

    // MARK: State

    /// Whether at least one connection is up.
    public var isConnected: Bool {
        loop.preconditionOnLoop()
        return !readyShared.isEmpty
    }

    /// Statements and transactions waiting or in flight.
    private var outstanding: Int {
        var count = (waiting?.count ?? 0) + (waitingForExclusive?.count ?? 0) + exclusiveInUse
        for connection in readyShared { count += connection.inFlight }
        return count
    }

    /// Waits for queries in flight (up to `limit`), then closes all connections.
    public func close(limit: Duration) async {
        loop.preconditionOnLoop()
        isClosing = true
        if outstanding > 0 {
            let timer = Timer(on: loop, after: limit) { [unowned self] in resumeDrained() }
            await withUnsafeContinuation { drained.append($0) }
            timer.cancel()
        }
        for keeper in shared + exclusive { keeper.stop() }
        waiting?.expireAll()
        waitingForExclusive?.expireAll()
    }

    private func checkDrained() {
        if isClosing, !drained.isEmpty, outstanding == 0 { resumeDrained() }
    }

    private func resumeDrained() {
        let continuations = drained
        drained = []
        for continuation in continuations { continuation.resume() }
    }
}
