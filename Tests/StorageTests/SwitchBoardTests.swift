import OpenID
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("The cache of the switches") struct SwitchBoardTests {
    /// A board and its database; nobody listens, so that the test says what is heard.
    private struct Node: Sendable {
        let board = SwitchBoard()
        let watched: WatchedDatabase
        let store: SwitchStore
        let direct: SwitchStore

        init(_ fixture: StorageFixture) {
            watched = WatchedDatabase(fixture.database)
            store = SwitchStore(database: watched)
            direct = SwitchStore(database: fixture.database)
        }

        func hear(_ events: Listener.Event...) { for event in events { board.handle(event) } }
        func hear(_ events: [Listener.Event]) { for event in events { board.handle(event) } }
        func state() async throws -> Switch.State { try await board.states(in: store)[.userInfo] }
        func set(_ state: Switch.State) async throws { try await direct.set(.userInfo, state) }
    }

    private func run(_ body: @escaping @Sendable (Node) async throws -> Void) async throws {
        try await StorageFixture.run { try await body(Node($0)) }
    }

    @Test(
        "without a connection that is sure to hear, every look-up asks",
        arguments: [
            [], [.disconnected], [.connected], [.connected, .lapsed], [.connected, .confirmed, .disconnected],
        ]
            as [[Listener.Event]])
    func readThrough(events: [Listener.Event]) async throws {
        try await run { node in
            node.hear(events)
            for state in [Switch.State.on, .off, .perClient, .on] {
                try await node.set(state)
                #expect(try await node.state() == state)
            }
            #expect(node.watched.count == 4)
        }
    }

    @Test("with it, nobody is asked until a change is heard")
    func cached() async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            #expect(try await node.state() == .off)
            try await node.set(.on)
            for payload in ["keys", "client:switches", "switches:x", "ping:1", "pong:1:2", ""] {
                node.hear(.told(payload))
                #expect(try await node.state() == .off)
            }
            #expect(node.watched.count == 1)
            node.hear(.told("switches"))
            #expect(try await node.state() == .on)
            #expect(try await node.state() == .on)
            #expect(node.watched.count == 2)
        }
    }

    @Test("when the server has been silent for too long, every look-up asks; afterwards what was heard counts again")
    func lapsed() async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            #expect(try await node.state() == .off)
            node.hear(.lapsed)
            try await node.set(.on)
            #expect(try await node.state() == .on)
            #expect(try await node.state() == .on)
            #expect(node.watched.count == 3)
            // What was notified in the silence comes before the answer that ends it.
            node.hear(.told("switches"), .confirmed)
            #expect(try await node.state() == .on)
            #expect(try await node.state() == .on)
            #expect(node.watched.count == 4)
        }
    }

    @Test(
        "what was being read while a change came is answered, and not kept",
        arguments: interruptions + [[.told("switches")]])
    func duringRead(events: [Listener.Event]) async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            node.watched.beforeNextAnswer {
                try await node.set(.on)
                node.hear(events)
            }
            let answer = try await node.state()
            #expect(answer == .off)
            #expect(try await node.state() == .on)
            #expect(node.watched.count == 2)
        }
    }

    @Test("a slow read does not take the place of what a later one has found", arguments: [true, false])
    func outOfOrder(isConnected: Bool) async throws {
        try await run { node in
            if isConnected { node.hear(.connected, .confirmed) }
            node.watched.beforeNextAnswer {
                try await node.set(.on)
                node.hear(.told("switches"))
                #expect(try await node.state() == .on)
            }
            let answer = try await node.state()
            #expect(answer == .off)
            #expect(node.board.lastKnown?[.userInfo] == .on)
            #expect(try await node.state() == .on)
        }
    }

    @Test("what cannot be asked is neither on nor off; what was known last is still known")
    func unavailable() async throws {
        try await StorageFixture.run { fixture in
            let node = Node(fixture)
            #expect(node.board.lastKnown == nil)
            try await node.set(.on)
            #expect(try await node.state() == .on)
            await fixture.database.close(limit: .seconds(1))
            await #expect(throws: DatabaseError.self) { try await node.state() }
            #expect(node.board.lastKnown?[.userInfo] == .on)
        }
    }

    @Test("names and states of another release are passed over")
    func unknownRows() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.sql(
                "INSERT INTO switches (name, state) VALUES ('teleport', 'on'), ('userinfo', 'on')")
            #expect(try await SwitchStore(database: fixture.database).all() == SwitchStates([.userInfo: .on]))
        }
    }
}
