import EventLoop
import Glibc
import Testing

@testable import HTTP

@Suite("Listening") struct ListenerTests {
    /// Answers to accept(2), one after another; then EAGAIN.
    private final class Script: @unchecked Sendable {  // used on one loop's thread only
        var steps: [Listener.Accepted]
        var calls = 0
        var taken: [Int32] = []
        init(_ steps: [Listener.Accepted]) { self.steps = steps }

        func accept(_: Int32) -> Listener.Accepted {
            calls += 1
            return steps.isEmpty ? .error(EAGAIN) : steps.removeFirst()
        }
    }

    /// A listener that is called by hand: nobody connects to its socket.
    private func withListener(
        _ steps: [Listener.Accepted], _ body: @escaping @Sendable (Listener, Script) -> Void
    ) throws {
        let server = try TestServer(routes: [])
        let script = Script(steps)
        let loop = server.loop
        try server.onLoop {
            let (descriptor, _) = try Listener.open("127.0.0.1:0")
            let listener = Listener(loop: loop, descriptor: descriptor, accept: script.accept) { descriptor, _ in
                script.taken.append(descriptor)
            }
            body(listener, script)
            listener.close()
        }
    }

    @Test("without descriptors the listener pauses, and goes on later", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func exhausted(code: Int32) throws {
        try withListener([
            .connection(descriptor: 100, peer: nil), .error(code), .connection(descriptor: 101, peer: nil),
        ]) { listener, script in
            listener.acceptWaiting()
            #expect(listener.isExhausted)
            #expect(script.taken == [100])
            #expect(script.calls == 2)
            listener.retry()
            #expect(!listener.isExhausted)
            listener.acceptWaiting()
            #expect(script.taken == [100, 101])
        }
    }

    @Test(
        "a client that is gone before it is accepted does not keep others out",
        arguments: [ECONNABORTED, EPROTO, EINTR])
    func goneClient(code: Int32) throws {
        try withListener([.error(code), .connection(descriptor: 100, peer: nil)]) { listener, script in
            listener.acceptWaiting()
            #expect(!listener.isExhausted)
            #expect(script.taken == [100])
        }
    }

    @Test("a paused listener takes nobody; closing takes all that wait") func pauseAndClose() throws {
        let waiting = (0..<200).map { Listener.Accepted.connection(descriptor: $0, peer: nil) }
        try withListener(waiting) { listener, script in
            listener.pause()
            listener.acceptWaiting()
            #expect(script.taken.isEmpty)
            listener.resume()
            listener.acceptWaiting()
            #expect(script.taken.count == 64)
            listener.close()
            #expect(script.taken.count == 200)
        }
    }

    @Test(
        "addresses to listen at",
        arguments: [
            ("127.0.0.1:0", true), ("[::1]:0", true), ("0.0.0.0:0", true), ("[::]:0", true), ("localhost:0", false),
            ("127.0.0.1", false), ("127.0.0.1:", false), ("127.0.0.1:65536", false), ("127.0.0.1:-1", false),
            ("::1:0", false), ("[127.0.0.1]:0", false), ("[::1:0", false), (":80", false), ("", false), ("[]:0", false),
            ("127.0.0.1:0x", false), ("127.0.0.1:000080", false),
        ])
    func addresses(text: String, accepted: Bool) {
        #expect((SocketAddress(text) != nil) == accepted)
    }

    @Test("what cannot be listened at is named") func errors() throws {
        let error = #expect(throws: HTTPServer.ListenError.self) { _ = try TestServer { $0.address = "nowhere:80" } }
        #expect(
            error?.description == "nowhere:80: not an address to listen at, such as 127.0.0.1:8080 or [::1]:8080")
        let foreign = #expect(throws: HTTPServer.ListenError.self) { _ = try TestServer { $0.address = "192.0.2.1:0" } }
        #expect(foreign?.description == "192.0.2.1:0: bind: Cannot assign requested address")
    }

    @Test("servers of several loops share a port") func sharedPort() throws {
        let port = SharedServer.plain.port
        let other = try TestServer { $0.address = "127.0.0.1:\(port)" }
        #expect(other.port == port)
    }
}
