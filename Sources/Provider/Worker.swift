import EventLoop
import HTTP
import JSON
import OpenSSL
import Postgres
import Telemetry

/// What belongs to one event loop: its database connections and its HTTP server.
///
/// Sendable because the parts check for themselves that they are used on the loop.
final class Worker: Sendable {
    let loop: EventLoop
    let database: Database
    let server: HTTPServer
    private let node: Node
    private let readiness: Readiness

    init(
        loop: EventLoop, configuration: Configuration, node: Node, readiness: Readiness, tls: TLSContext?,
        extraRoutes: [Route]
    ) {
        self.loop = loop
        self.node = node
        self.readiness = readiness
        let database = Database(loop: loop, configuration: configuration.database)
        self.database = database
        let features = Features(issuer: configuration.issuer, node: node, database: database, loop: loop)
        let fallback = FallbackAnswers(issuer: configuration.issuer)
        let router = Router(
            routes: readiness.routes { database.isConnected } + features.routes + extraRoutes,
            notFound: fallback.notFound, methodNotAllowed: fallback.methodNotAllowed, failure: FallbackAnswers.failure)
        server = HTTPServer(loop: loop, configuration: configuration.server, router: router, tls: tls)
    }

    /// Begins to connect to the database, and listens. On the loop.
    func start() throws {
        database.start()
        try server.start()
    }

    /// Whether we have been told to stop.
    var isDraining: Bool { readiness.state == .draining }

    /// On the loop.
    func drain(limit: Duration) async {
        await server.drain(limit: limit)
        await node.recordSuppressed(in: database)
        await database.close(limit: .seconds(5))
    }

    /// Returns when this loop has a database connection. On the loop.
    func waitForDatabase() async {
        while !database.isConnected, !isDraining { await loop.sleep(for: .milliseconds(5)) }
    }

    /// Looks again and again whether the node can serve, until it drains. On the loop.
    /// - Parameter others: the workers of the other loops, each of which must reach the database before we call ourselves
    ///   ready for the first time.
    func watchReadiness(others: [Worker], onReady: @Sendable () -> Void) async {
        let migrator = Migrator.embedded
        var wasReady = false
        while !isDraining {
            let state = await look(migrator, checkingMigrations: !wasReady)
            if state == .ready, !wasReady {
                await withTaskGroup { group in
                    for worker in others {
                        group.addTask(executorPreference: worker.loop) { await worker.waitForDatabase() }
                    }
                }
            }
            if let former = readiness.set(state) { report(state, after: former) }
            if state == .ready, !wasReady {
                wasReady = true
                onReady()
            }
            await loop.sleep(for: pause(in: state, wasReady: wasReady))
        }
    }

    /// Often at the start and in an outage, so that we serve as soon as we can; not while somebody has to do something.
    private func pause(in state: Readiness.State, wasReady: Bool) -> Duration {
        switch state {
        case .ready: .seconds(5)
        case .migrationsPending, .clockDiffers, .noSigningKey: .milliseconds(500)
        default: .milliseconds(wasReady ? 250 : 20)
        }
    }

    private func look(_ migrator: Migrator, checkingMigrations: Bool) async -> Readiness.State {
        do {
            if checkingMigrations, try await !migrator.pending(on: database).isEmpty { return .migrationsPending }
            if abs(try await database.clockOffset()) > 5000 { return .clockDiffers }
            if !node.canSign { try await node.loadKeys(from: database) }
            return node.canSign ? .ready : .noSigningKey
        } catch DatabaseError.unavailable {
            return .databaseUnreachable
        } catch {
            Log.error("readiness.failed", [.init("detail", .string("\(error)"))])
            return .databaseUnreachable
        }
    }

    private func report(_ state: Readiness.State, after former: Readiness.State) {
        switch state {
        case .ready: Log.info("server.ready")
        case .starting, .draining: break
        default: Log.warning("server.not_ready", [.init("reason", .string(state.reason))])
        }
    }
}
