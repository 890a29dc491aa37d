import EventLoop
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("LISTEN") struct ListenerTests {
    private final class Events: Sendable {
        private let seen = Mutex<[Listener.Event]>([])
        private let confirmations = Mutex<[MonotonicTime]>([])
        /// But for confirmations.
        var all: [Listener.Event] { seen.withLock { $0 } }
        /// Until when what was heard may be trusted.
        var confirmed: [MonotonicTime] { confirmations.withLock { $0 } }
        func add(_ event: Listener.Event) {
            if case .confirmed(let end) = event {
                confirmations.withLock { $0.append(end) }
            } else {
                seen.withLock { $0.append(event) }
            }
        }
    }

    private func listening(
        _ configuration: DatabaseConfiguration, _ channels: [String], presence: Listener.Presence? = nil,
        _ body: @escaping @Sendable (Events) async throws -> Void
    ) async throws {
        Quiet.now
        try await onLoop { loop in
            let events = Events()
            let listener = Listener(
                loop: loop, configuration: configuration, channels: channels, presence: presence
            ) { event in
                loop.preconditionOnLoop()
                events.add(event)
            }
            listener.start()
            #expect(await eventually { events.all == [.connected] })
            try await body(events)
            let wasListening = events.all.last != .disconnected
            let count = events.all.count
            listener.stop()
            // Who stops says so, and says no more.
            #expect(events.all.dropFirst(count) == (wasListening ? [.disconnected] : []))
        }
    }

    @Test("what is notified arrives, in order, on the channels asked for only")
    func notifications() async throws {
        let configuration = try configuration()
        try await listening(configuration, ["clients", "Odd \"name\""]) { events in
            try await withDatabase(configuration) { database in
                _ = try await database.query(sql("select pg_notify('clients', $1)"), [.text("web1")])
                _ = try await database.query(sql("select pg_notify('other', 'x')"))
                _ = try await database.query(sql("select pg_notify('Odd \"name\"', '')"))
                // Sent with the commit.
                try await database.transaction {
                    _ = try await $0.query(sql("select pg_notify('clients', $1)"), [.text("日本")])
                }
            }
            let expected: [Listener.Event] = [
                .connected, .notification(channel: "clients", payload: "web1"),
                .notification(channel: "Odd \"name\"", payload: ""), .notification(channel: "clients", payload: "日本"),
            ]
            #expect(await eventually { events.all.count >= expected.count })
            #expect(events.all == expected)
        }
    }

    @Test("a lost connection is told at once, and so is its return")
    func lost() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.remove() }
        let configuration = try configuration(of: cluster)
        try await listening(configuration, ["clients"]) { events in
            try await offLoop { cluster.kill() }
            #expect(await eventually { events.all == [.connected, .disconnected] })
            try await offLoop { try cluster.start() }
            #expect(await eventually(within: .seconds(5)) { events.all == [.connected, .disconnected, .connected] })
            try await offLoop { try cluster.execute("notify clients, 'x'", in: configuration.connectionString) }
            #expect(await eventually { events.all.last == .notification(channel: "clients", payload: "x") })
        }
    }

    @Test("a silent way to the server is noticed within 5 s, and so is a primary that was made read-only")
    func pulse() async throws {
        let cluster = try PostgresCluster()
        let proxy = try Proxy(to: cluster.socketPath)
        defer {
            proxy.close()
            cluster.remove()
        }
        var configuration = try configuration(of: cluster)
        configuration.connectTimeout = .milliseconds(500)
        configuration.connectionString += " host=127.0.0.1 port=\(proxy.port)"
        try await listening(configuration, ["clients"]) { events in
            proxy.isSilent = true
            #expect(await eventually(within: .seconds(6)) { events.all == [.connected, .disconnected] })
            proxy.isSilent = false
            #expect(await eventually(within: .seconds(5)) { events.all == [.connected, .disconnected, .connected] })
            try await offLoop { try cluster.setReadOnly(true) }
            #expect(await eventually(within: .seconds(6)) { events.all.last == .disconnected })
            #expect(events.all.count == 4)
        }
    }

    @Test("what was heard may be trusted as long as the server's answer is young, and no longer")
    func confirmations() async throws {
        let cluster = try PostgresCluster()
        let proxy = try Proxy(to: cluster.socketPath)
        defer {
            proxy.close()
            cluster.remove()
        }
        var configuration = try configuration(of: cluster)
        configuration.connectionString += " host=127.0.0.1 port=\(proxy.port)"
        let before = MonotonicTime.now
        try await listening(configuration, ["clients"]) { events in
            #expect(events.confirmed.count == 1)
            #expect(await eventually { events.confirmed.count == 2 })
            let asked = events.confirmed.map { $0.advanced(by: .zero - Listener.trust) }
            #expect(before < asked[0] && asked[0] < asked[1] && asked[1] < .now)
            proxy.isSilent = true
            #expect(await eventually { events.all == [.connected, .disconnected] })
            // It ends by the connection or by the time, and in silence nothing makes it longer.
            #expect(events.confirmed.count <= 3)
            proxy.isSilent = false
            #expect(await eventually { events.all == [.connected, .disconnected, .connected] })
            #expect(await eventually { (events.confirmed.last ?? before) > .now })
        }
    }

    @Test("who listens can be seen in pg_locks, and not any more once the server has heard nothing for long")
    func presence() async throws {
        let cluster = try PostgresCluster()
        let proxy = try Proxy(to: cluster.socketPath)
        defer {
            proxy.close()
            cluster.remove()
        }
        var configuration = try configuration(of: cluster)
        let direct = configuration.connectionString
        configuration.connectionString += " host=127.0.0.1 port=\(proxy.port)"
        let present: @Sendable () async throws -> [String] = {
            try await offLoop {
                try cluster.execute(
                    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 77 AND objsubid = 2",
                    in: direct
                ).map { $0[0] }
            }
        }
        try await listening(configuration, ["clients"], presence: .init(lockClass: 77, id: 4711)) { events in
            let isPresent = try await eventually { try await present() == ["4711"] }
            #expect(isPresent)
            proxy.isSilent = true
            let isGone = try await eventually(within: .seconds(20)) { try await present().isEmpty }
            #expect(isGone)
            #expect(events.all == [.connected, .disconnected])
            proxy.isSilent = false
            let isBack = try await eventually { try await present() == ["4711"] }
            #expect(isBack)
        }
        let hasLeft = try await eventually { try await present().isEmpty }
        #expect(hasLeft)
    }
}
