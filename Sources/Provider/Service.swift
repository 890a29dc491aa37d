import EventLoop
import HTTP
import OpenSSL
import Postgres
import Telemetry

/// A running server: one worker per event loop, and what they share.
public final class Service: Sendable {
    let configuration: Configuration
    let readiness: Readiness
    private let workers: [Worker]
    private let threads: [LoopThread]
    private let listener: Listener
    /// The port that is listened on.
    public let port: UInt16

    /// Starts the loops and listens. - Throws: when the address is taken or the certificate cannot be used.
    /// - Parameter onReady: called once, on a loop, when requests can be served.
    public init(_ configuration: Configuration, isDevelopment: Bool = false, onReady: @escaping @Sendable () -> Void)
        throws
    {
        let tls = try configuration.tls?.context()
        let readiness = Readiness()
        let node = Node(configuration)
        let extraRoutes = isDevelopment ? Demonstration(issuer: configuration.issuer).app.routes : []
        var configuration = configuration
        var workers: [Worker] = []
        var threads: [LoopThread] = []
        for index in 0..<configuration.loops {
            let worker = Worker(
                loop: EventLoop(index: index), configuration: configuration, node: node, readiness: readiness, tls: tls,
                extraRoutes: extraRoutes)
            workers.append(worker)
            threads.append(worker.loop.startThread())
            try worker.loop.blocking { try worker.start() }
            // The first may let the system choose a port; the others share it.
            configuration.server.listen(onPort: worker.server.port)
        }
        self.configuration = configuration
        self.readiness = readiness
        self.workers = workers
        self.threads = threads
        port = workers[0].server.port
        Log.info(
            "server.listening",
            [
                .init("address", .string(configuration.server.address)), .init("port", .integer(Int64(port))),
                .init("loops", .integer(Int64(workers.count))), .init("tls", .bool(tls != nil)),
            ])
        let first = workers[0]
        listener = node.makeListener(first, configuration.database)
        let listener = listener
        let others = Array(workers.dropFirst())
        Task(executorPreference: first.loop) {
            listener.start()
            await first.watchReadiness(others: others, onReady: onReady)
        }
        Task(executorPreference: first.loop) { await node.keepHouse(first) }
        Task(executorPreference: first.loop) { await node.keepRecord(first) }
    }

    /// Takes new TLS files for new connections. - Throws: when they cannot be used; the old ones stay in use then.
    func reloadTLS() throws {
        guard let files = configuration.tls else { return }
        let tls = try files.context()
        for worker in workers { try worker.loop.blocking { worker.server.replaceTLS(tls) } }
    }

    /// `/readyz` answers 503 from now on; all else goes on.
    func announceDraining() { readiness.set(.draining) }

    /// Stops listening, lets requests in flight end, closes the database connections and ends the loops.
    /// - Parameter onEnd: called on some loop when all is done.
    func drain(onEnd: @escaping @Sendable () -> Void) {
        let limit = configuration.drainLimit
        let workers = workers
        let listener = listener
        Task(executorPreference: workers[0].loop) {
            listener.stop()
            await withTaskGroup { group in
                for worker in workers {
                    group.addTask(executorPreference: worker.loop) { await worker.drain(limit: limit) }
                }
            }
            onEnd()
        }
    }

    /// Ends the loops; nothing may be in flight. Not from a loop.
    func stopLoops() {
        for worker in workers { try? worker.loop.blocking { worker.loop.stop() } }
        for thread in threads { thread.join() }
    }
}
