import Foundation
import HTTP
import Synchronization
import Testing

@Suite("Draining") struct DrainTests {
    private static func gated(_ gate: Gate) -> [Route] {
        TestServer.routes + [
            Route(.get, "/slow") { _ in
                await gate.pass()
                return .text(status: 200, "slow")
            }
        ]
    }

    /// Starts draining; the box gets a result when it is over.
    private func drain(_ server: TestServer, limit: Duration) -> TestServer.Box<Void> {
        let box = TestServer.Box<Void>()
        let http = server.server
        Task(executorPreference: server.loop) {
            await http.drain(limit: limit)
            box.put(.success(()))
        }
        return box
    }

    @Test("what is in flight is answered, what is idle is closed, nobody new gets in") func inFlight() throws {
        let gate = Gate()
        let server = try TestServer(routes: Self.gated(gate))
        let idle = try server.client()
        #expect(try idle.get("/static").status == 200)
        let busy = try (0..<10).map { _ in try server.client() }
        for client in busy { client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n") }
        while gate.arrived < 10 { _ = idle.waitForInput(milliseconds: 5) }

        let done = drain(server, limit: .seconds(10))
        #expect(try idle.isClosedByServer())
        #expect(throws: HTTPTestClient.Failure.connect) { try server.client() }
        gate.open()
        for client in busy {
            let answer = try client.receive()
            #expect(answer.text == "slow")
            #expect(answer["Connection"] == "close")
            #expect(try client.isClosedByServer())
            client.close()
        }
        try done.wait()
    }

    @Test("a request that has begun may end; the next one may not begin") func begun() throws {
        let server = try TestServer()
        let client = try server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.receive().status == 100)
        let done = drain(server, limit: .seconds(10))
        #expect(!client.waitForInput(milliseconds: 50))
        client.send("abcGET /static HTTP/1.1\r\nHost: h\r\n\r\n")
        let answer = try client.receive()
        #expect(answer.text == "abc" && answer["Connection"] == "close")
        #expect(try client.isClosedByServer())
        client.close()
        try done.wait()
    }

    @Test("clients in the queue of the listening socket are served") func acceptQueue() throws {
        let server = try TestServer()
        let isBusy = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let box = TestServer.Box<Void>()
        let http = server.server
        Task(executorPreference: server.loop) {
            isBusy.signal()
            Self.hold(goOn)  // the loop accepts nobody meanwhile
            await http.drain(limit: .seconds(10))
            box.put(.success(()))
        }
        isBusy.wait()
        let clients = try (0..<100).map { _ in try server.client() }
        for client in clients { client.send("GET /static HTTP/1.1\r\nHost: h\r\n\r\n") }
        goOn.signal()
        for client in clients {
            let answer = try client.receive()
            #expect(answer.text == "ok" && answer["Connection"] == "close")
            client.close()
        }
        try box.wait()
    }

    private static func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test("a client that has connected and says nothing does not hold the server") func silent() throws {
        let server = try TestServer()
        let client = try server.client()
        #expect(try server.hasConnections(1))
        let start = ContinuousClock.now
        let done = drain(server, limit: .seconds(10))
        try done.wait()
        #expect(start.duration(to: .now) < .seconds(5))
        #expect(try client.isClosedByServer())
    }

    @Test("after the limit what is left is cut") func limit() throws {
        let gate = Gate()
        let server = try TestServer(routes: Self.gated(gate))
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        while gate.arrived == 0 { _ = client.waitForInput(milliseconds: 5) }
        try drain(server, limit: .milliseconds(100)).wait()
        #expect(try client.isClosedByServer())
        gate.open()
    }

    @Test("under load every request that was taken is answered whole") func underLoad() throws {
        let server = try TestServer()
        let port = server.port
        let load = Load()
        let threads = 8
        for _ in 0..<threads { Thread.detachNewThread { load.run(port) } }
        for _ in 0..<threads { load.isWarm.wait() }
        try drain(server, limit: .seconds(10)).wait()
        for _ in 0..<threads { load.isOver.wait() }
        #expect(load.state.withLock { $0.broken } == [])
        #expect(load.state.withLock { $0.answered } >= threads * 100)
    }

    /// Requests, of which every tenth connection's worth ends in a new connection, until nobody listens any more.
    private final class Load: Sendable {
        struct State {
            var answered = 0
            var broken: [String] = []
        }
        let state = Mutex(State())
        let isWarm = DispatchSemaphore(value: 0)
        let isOver = DispatchSemaphore(value: 0)

        func run(_ port: UInt16) {
            defer { isOver.signal() }
            var count = 0
            while let client = try? HTTPTestClient(port: port) {
                for _ in 0..<10 {
                    do {
                        let answer = try client.get("/static")
                        if answer.text != "ok" { state.withLock { $0.broken.append(answer.head) } }
                        count += 1
                        state.withLock { $0.answered += 1 }
                        if count == 100 { isWarm.signal() }
                        if answer["Connection"] == "close" { break }
                    } catch HTTPTestClient.Failure.closed where !client.isInsideAnswer {
                        break  // between two requests the server may hang up
                    } catch {
                        state.withLock { $0.broken.append("\(error)") }
                        break
                    }
                }
            }
            if count < 100 { isWarm.signal() }
        }
    }
}
