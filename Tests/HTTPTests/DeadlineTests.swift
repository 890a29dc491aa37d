import HTTP
import Testing

/// Deadlines are absolute: bytes that trickle in or out do not put them off. The tests wait on their sockets.
@Suite("Deadlines") struct DeadlineTests {
    private let clock = ContinuousClock()

    /// Sends a byte every 20 ms until the server has something to say.
    private func drip(_ client: HTTPTestClient, _ text: String) {
        for byte in text.utf8 where !client.waitForInput(milliseconds: 20) { client.send([byte]) }
    }

    private let manyFields = String(repeating: "A: b\r\n", count: 90)

    @Test("a head that drips is answered 408") func head() throws {
        let server = try TestServer { $0.headTimeout = .milliseconds(200) }
        let client = try server.client()
        let start = clock.now
        drip(client, "GET /static HTTP/1.1\r\nHost: h\r\n" + manyFields)
        let answer = try client.receive()
        #expect(answer.status == 408)
        #expect(answer["Connection"] == "close")
        #expect(start.duration(to: clock.now) >= .milliseconds(180))
        #expect(start.duration(to: clock.now) < .seconds(3))
        #expect(try client.isClosedByServer())
    }

    @Test(
        "a body that drips is answered 408, chunked or not",
        arguments: ["Content-Length: 500", "Transfer-Encoding: chunked"])
    func body(framing: String) throws {
        let server = try TestServer { $0.bodyTimeout = .milliseconds(200) }
        let client = try server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n")
        let start = clock.now
        drip(client, "1f4\r\n" + String(repeating: "x", count: 400))
        #expect(try client.receive().status == 408)
        #expect(start.duration(to: clock.now) < .seconds(3))
        #expect(try client.isClosedByServer())
    }

    @Test("a client that says nothing is cut without an answer") func silence() throws {
        let server = try TestServer { $0.headTimeout = .milliseconds(100) }
        let client = try server.client()
        #expect(try client.isClosedByServer())
    }

    @Test("between requests the idle time counts, then the head's from its first byte") func idle() throws {
        let server = try TestServer {
            $0.headTimeout = .milliseconds(700)
            $0.idleTimeout = .milliseconds(2500)
        }
        let client = try server.client()
        #expect(try client.get("/static").status == 200)
        #expect(!client.waitForInput(milliseconds: 1200))
        #expect(try client.get("/static").status == 200)
        client.send("GET")
        #expect(try client.receive().status == 408)

        let idle = try server.client()
        #expect(try idle.get("/static").status == 200)
        #expect(try idle.isClosedByServer())
    }

    @Test("a handler has all the time it takes") func handler() throws {
        let routes = [
            Route(.get, "/slow") { _ in
                try await Task.sleep(for: .milliseconds(1200))
                return .text(status: 200, "slow")
            }
        ]
        let server = try TestServer(routes: routes) {
            $0.headTimeout = .milliseconds(500)
            $0.bodyTimeout = .milliseconds(500)
            $0.idleTimeout = .milliseconds(500)
            $0.writeTimeout = .milliseconds(500)
        }
        #expect(try server.client().get("/slow").text == "slow")
    }

    @Test("a client that reads too slowly is cut") func write() throws {
        let server = try TestServer { $0.writeTimeout = .milliseconds(200) }
        let client = try HTTPTestClient(port: server.port, receiveBuffer: 4096)
        client.send("GET /big HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(throws: HTTPTestClient.Failure.closed) { try client.drain(bytesPerTurn: 1000, every: 5) }
        #expect(try server.hasConnections(0))
    }

    @Test("a client that reads steadily and still takes too long is cut") func steadyWrite() throws {
        let server = try TestServer { $0.writeTimeout = .milliseconds(200) }
        let client = try server.client()
        client.send("GET /big HTTP/1.1\r\nHost: h\r\n\r\n")
        // 40 MB/s: the socket takes more every few milliseconds, the whole would need most of a second.
        #expect(throws: HTTPTestClient.Failure.closed) { try client.drain(bytesPerTurn: 200_000, every: 5) }
        #expect(try server.hasConnections(0))
    }

    @Test("a client that never closes its side after the last answer is cut") func lingering() throws {
        let server = try TestServer { $0.lingerTimeout = .milliseconds(100) }
        let client = try server.client()
        #expect(try client.get("/static", fields: "Connection: close\r\n").status == 200)
        #expect(try client.isClosedByServer())
        #expect(try server.hasConnections(0))
        withExtendedLifetime(client) {}
    }
}
