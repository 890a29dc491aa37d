import Dispatch
import EventLoop
import HTTP
import OpenSSL
import Synchronization

/// A server on a loop of its own, on a port the system chose; gone with the value.
final class TestServer {
    let loop: EventLoop
    let server: HTTPServer
    private let thread: LoopThread
    private(set) var port: UInt16 = 0

    /// - Parameter configure: changes the defaults; the address is `127.0.0.1:0` already.
    init(
        routes: [Route] = TestServer.routes, tls: TLSContext? = nil, failureStatus: Int = 500,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration()
        configuration.address = "127.0.0.1:0"
        configure(&configuration)
        let router = Router(
            routes: routes, notFound: { .text(status: 404, "no \($0.method.name) \($0.path)") },
            failure: { _, _ in .text(status: failureStatus, "failed") })
        loop = EventLoop(index: 0)
        server = HTTPServer(loop: loop, configuration: configuration, router: router, tls: tls)
        thread = loop.startThread()
        let server = server
        port = try onLoop {
            try server.start()
            return server.port
        }
    }

    deinit {
        let (loop, server) = (loop, server)
        Task(executorPreference: loop) {
            await server.drain(limit: .milliseconds(1))
            loop.stop()
        }
        thread.join()
    }

    func client() throws -> HTTPTestClient { try HTTPTestClient(port: port) }

    /// Waits until the server has as many connections open, for five seconds at most.
    func hasConnections(_ count: Int) throws -> Bool {
        for _ in 0..<500 {
            let server = server
            let loop = loop
            let current = try onLoop {
                if server.connectionCount != count { await loop.sleep(for: .milliseconds(10)) }
                return server.connectionCount
            }
            if current == count { return true }
        }
        return false
    }

    /// Runs on the loop's thread and waits for the result.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
        let box = Box<T>()
        Task(executorPreference: loop) {
            let result: Result<T, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            box.put(result)
        }
        return try box.wait()
    }

    /// A place where another thread puts a result.
    final class Box<T: Sendable>: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let result = Mutex<Result<T, any Error>?>(nil)

        func put(_ value: Result<T, any Error>) {
            result.withLock { $0 = value }
            semaphore.signal()
        }

        func wait() throws -> T {
            guard semaphore.wait(timeout: .now() + 20) == .success, let value = result.withLock({ $0 }) else {
                throw HTTPTestClient.Failure.silence
            }
            return try value.get()
        }
    }

    struct HandlerError: Error {}

    static let routes: [Route] = [
        Route(.get, "/static") { _ in .text(status: 200, "ok") },
        Route(.get, "/query") { .text(status: 200, $0.query ?? "none") },
        Route(.get, "/host") { .text(status: 200, $0.headers["Host"] ?? "none") },
        Route(.post, "/echo") { Response(status: 200, body: $0.body) },
        Route(.get, "/client") { .text(status: 200, "\($0.clientAddress) \($0.isSecure)") },
        Route(.get, "/big") { _ in Response(status: 200, body: [UInt8](repeating: 0x61, count: 32 << 20)) },
        Route(.get, "/none") { _ in Response(status: 204, body: [1, 2, 3]) },
        Route(.get, "/unchanged") { _ in
            Response(status: 304, headers: Headers([("ETag", "\"1\"")]), body: [1, 2, 3])
        },
        Route(.get, "/throws") { _ in throw HandlerError() },
        Route(.get, "/open", cors: .anyOrigin) { _ in .json(Array("{}".utf8)) },
        Route(.post, "/open", cors: .anyOrigin) { _ in throw HandlerError() },
        Route(.get, "/splits") { .redirect("/a\r\nSet-Cookie: \($0.query ?? "")") },
    ]
}
