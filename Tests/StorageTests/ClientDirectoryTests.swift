import OpenID
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("The cache of clients") struct ClientDirectoryTests {
    /// A directory and its database; nobody listens, so that the test says what is heard.
    private struct Node: Sendable {
        let directory: ClientDirectory
        let watched: WatchedDatabase
        let store: ClientStore
        let direct: ClientStore

        init(_ fixture: StorageFixture, capacity: Int = 10) {
            directory = ClientDirectory(capacity: capacity)
            watched = WatchedDatabase(fixture.database)
            store = ClientStore(database: watched)
            direct = ClientStore(database: fixture.database)
        }

        func hear(_ events: Listener.Event...) { for event in events { directory.handle(event) } }
        func hear(_ events: [Listener.Event]) { for event in events { directory.handle(event) } }
        func isEnabled(_ id: String = "web1") async throws -> Bool? {
            try await directory.find(id, in: store)?.isEnabled
        }
        func set(_ isEnabled: Bool) async throws { _ = try await direct.setEnabled(isEnabled, "web1") }
    }

    private func run(
        capacity: Int = 10, _ body: @escaping @Sendable (Node) async throws -> Void
    ) async throws {
        try await StorageFixture.run { try await body(Node($0, capacity: capacity)) }
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
            for isEnabled in [false, true, false] {
                try await node.set(isEnabled)
                #expect(try await node.isEnabled() == isEnabled)
            }
            #expect(node.watched.count == 3)
        }
    }

    @Test("with it, nobody is asked until a change of that client is heard")
    func cached() async throws {
        try await run { node in
            _ = try await node.direct.put(try StorageFixture.client("web2"))
            node.hear(.connected, .confirmed)
            #expect(try await node.isEnabled() == true)
            #expect(try await node.isEnabled("web2") == true)
            try await node.set(false)
            for payload in ["keys", "switches", "client:", "client:web", "client:web10", "client:web2", "ping:1"] {
                node.hear(.told(payload))
                #expect(try await node.isEnabled() == true)
            }
            #expect(node.watched.count == 2)
            node.hear(.told("client:web1"))
            #expect(try await node.isEnabled() == false)
            #expect(try await node.isEnabled() == false)
            #expect(node.watched.count == 3)
        }
    }

    @Test(
        "what was being read while a change came is answered, and not kept",
        arguments: interruptions + [[.told("client:web1")]])
    func duringRead(events: [Listener.Event]) async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            node.watched.beforeNextAnswer {
                try await node.set(false)
                node.hear(events)
            }
            let answer = try await node.isEnabled()
            #expect(answer == true)
            #expect(try await node.isEnabled() == false)
            #expect(node.watched.count == 2)
        }
    }

    @Test("a slow read does not take the place of what a later one has found")
    func outOfOrder() async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            node.watched.beforeNextAnswer {
                try await node.set(false)
                node.hear(.told("client:web1"))
                #expect(try await node.isEnabled() == false)
            }
            let answer = try await node.isEnabled()
            #expect(answer == true)
            #expect(try await node.isEnabled() == false)
            #expect(node.watched.count == 2)
        }
    }

    @Test("unknown ids are not kept, so that who is registered now is known now")
    func unknown() async throws {
        try await run { node in
            node.hear(.connected, .confirmed)
            #expect(try await node.isEnabled("web2") == nil)
            _ = try await node.direct.put(try StorageFixture.client("web2"))
            #expect(try await node.isEnabled("web2") == true)
        }
    }

    @Test("it holds no more than it may")
    func capacity() async throws {
        try await run(capacity: 2) { node in
            node.hear(.connected, .confirmed)
            for id in ["web2", "web3"] { _ = try await node.direct.put(try StorageFixture.client(id)) }
            for id in ["web1", "web2", "web3", "web3"] { #expect(try await node.isEnabled(id) == true) }
            #expect(node.watched.count == 3)
            #expect(try await node.isEnabled("web1") == true)
            #expect(node.watched.count == 4)
        }
    }

    @Test("what cannot be asked is no unknown client")
    func unavailable() async throws {
        try await StorageFixture.run { fixture in
            let node = Node(fixture)
            await fixture.database.close(limit: .seconds(1))
            await #expect(throws: DatabaseError.self) { try await node.isEnabled() }
        }
    }
}
