import EventLoop
import Migrations
import OpenID
import Postgres
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Provider

/// What a node is to others: it listens, drops what it has cached, and says so.
private final class TestNode: Sendable {
    let barrier = ChangeBarrier()
    let board = SwitchBoard()
    let listener: Listener
    private let store: SwitchStore
    private let database: Database
    private let loop: EventLoop
    private let events: Events

    /// Pings heard, and whether it listens.
    private final class Events: Sendable {
        let pings = Mutex(0)
        let isListening = Mutex(false)
    }

    /// - Parameters:
    ///   - configuration: how it listens.
    ///   - database: where it asks.
    ///   - answers: whether it says what it has heard.
    init(_ configuration: DatabaseConfiguration, _ database: Database, _ loop: EventLoop, answers: Bool = true) {
        self.database = database
        self.loop = loop
        store = SwitchStore(database: database)
        let events = Events()
        self.events = events
        let (barrier, board) = (barrier, board)
        listener = Listener(
            loop: loop, configuration: configuration, channels: [ChangeBarrier.channel], presence: barrier.presence
        ) { event in
            board.handle(event)
            switch event {
            case .connected: events.isListening.withLock { $0 = true }
            case .disconnected: events.isListening.withLock { $0 = false }
            case .notification, .confirmed: break
            }
            guard let answer = barrier.handle(event) else { return }
            events.pings.withLock { $0 += 1 }
            if answers { Task(executorPreference: loop) { await barrier.answer(answer, via: database) } }
        }
    }

    var pings: Int { events.pings.withLock { $0 } }

    func start() async {
        listener.start()
        #expect(await eventually { events.isListening.withLock { $0 } })
    }

    /// What it would do at its next request.
    func state(of feature: Switch = .userInfo) async throws -> Switch.State {
        try await board.states(in: store)[feature]
    }
    func set(_ state: Switch.State, of feature: Switch = .userInfo) async throws { try await store.set(feature, state) }
    func settle() async { await barrier.settle(via: database, on: loop) }
}

@Suite("An answer waits until every node obeys") struct ChangeBarrierTests {
    /// A database of its own for a test, and the loop that all live on.
    private struct Setting: Sendable {
        let loop: EventLoop
        let configuration: DatabaseConfiguration
        let database: Database

        func node(_ configuration: DatabaseConfiguration? = nil, answers: Bool = true) -> TestNode {
            TestNode(configuration ?? self.configuration, database, loop, answers: answers)
        }
    }

    private func run(
        on cluster: PostgresCluster = .shared, _ body: @escaping @Sendable (Setting) async throws -> Void
    ) async throws {
        Log.setMinimumLevel(.error)
        let configuration = DatabaseConfiguration(connectionString: try cluster.makeDatabase())
        try await onLoop { loop in
            let database = Database(loop: loop, configuration: configuration)
            database.start()
            _ = try await Migrator.embedded.run(on: database)
            try await body(Setting(loop: loop, configuration: configuration, database: database))
            await database.close(limit: .seconds(2))
        }
    }

    /// Something that goes on meanwhile, and whether it has come to its end.
    private final class Waiting: Sendable {
        private let isDone = Mutex(false)
        var hasReturned: Bool { isDone.withLock { $0 } }
        init(_ loop: EventLoop, _ body: @escaping @Sendable () async -> Void) {
            Task(executorPreference: loop) {
                await body()
                self.isDone.withLock { $0 = true }
            }
        }
    }

    @Test("what was changed through one node is obeyed by all the others when it is answered")
    func everyNode() async throws {
        try await run { setting in
            let nodes = [setting.node(), setting.node(), setting.node()]
            for node in nodes { await node.start() }
            for round in 0..<60 {
                let state = Switch.State.allCases[round % 3]
                try await nodes[round % nodes.count].set(state)
                await nodes[round % nodes.count].settle()
                for node in nodes { #expect(try await node.state() == state) }
            }
            #expect(nodes.allSatisfy { $0.pings >= 60 })
            for node in nodes { node.listener.stop() }
        }
    }

    @Test("a node that does not hear is waited for until it trusts nothing")
    func silentNode() async throws {
        let cluster = try PostgresCluster()
        let proxy = try Proxy(to: cluster.socketPath)
        defer {
            proxy.close()
            cluster.remove()
        }
        try await run(on: cluster) { setting in
            var behindProxy = setting.configuration
            behindProxy.connectionString += " host=127.0.0.1 port=\(proxy.port)"
            let (node, deaf) = (setting.node(), setting.node(behindProxy))
            await node.start()
            await deaf.start()
            #expect(try await deaf.state() == .off)
            proxy.isSilent = true
            try await node.set(.on)
            #expect(try await deaf.state() == .off)  // the control: it goes on with what it knew
            await node.settle()
            #expect(try await deaf.state() == .on)
            node.listener.stop()
            deaf.listener.stop()
        }
    }

    @Test("a node that is gone is not waited for any longer")
    func nodeThatLeaves() async throws {
        try await run { setting in
            let (node, mute) = (setting.node(), setting.node(answers: false))
            await node.start()
            await mute.start()
            let waiting = Waiting(setting.loop) { await node.settle() }
            #expect(await eventually { mute.pings > 0 && node.pings > 0 })
            #expect(!waiting.hasReturned)
            mute.listener.stop()
            #expect(await eventually(within: .seconds(3)) { waiting.hasReturned })
            node.listener.stop()
        }
    }

    @Test("many at once share a ping, but none shares one that was sent before its change")
    func sharing() async throws {
        try await run { setting in
            let (node, other) = (setting.node(), setting.node())
            await node.start()
            await other.start()
            await withTaskGroup { group in
                for _ in 0..<200 { group.addTask(executorPreference: setting.loop) { await node.settle() } }
            }
            #expect((1...10).contains(other.pings))
            // Each changes something while the pings of the others are under way.
            try await withThrowingTaskGroup { group in
                for feature in Switch.allCases {
                    group.addTask(executorPreference: setting.loop) {
                        for round in 0..<40 {
                            let state = Switch.State.allCases[round % 3]
                            try await node.set(state, of: feature)
                            await node.settle()
                            let obeyed = try await other.state(of: feature)
                            #expect(obeyed == state)
                        }
                    }
                }
                try await group.waitForAll()
            }
            node.listener.stop()
            other.listener.stop()
        }
    }

    @Test("who cannot hear the answers waits until it can")
    func deafAsker() async throws {
        try await run { setting in
            let (node, other) = (setting.node(), setting.node())
            await other.start()
            try await node.set(.on)
            let waiting = Waiting(setting.loop) { await node.settle() }
            #expect(other.pings == 0 && !waiting.hasReturned)
            await node.start()
            #expect(await eventually(within: .seconds(3)) { waiting.hasReturned })
            #expect(try await other.state() == .on)
            node.listener.stop()
            other.listener.stop()
        }
    }

    @Test("a command waits for the nodes as well, and is none")
    func command() async throws {
        try await run { setting in
            let nodes = [setting.node(), setting.node()]
            for node in nodes { await node.start() }
            for state in [Switch.State.on, .off, .perClient] {
                for node in nodes { _ = try await node.state() }
                try await SwitchStore(database: setting.database).set(.userInfo, state)
                await ChangeBarrier.settle(via: setting.database, on: setting.loop, setting.configuration)
                for node in nodes { #expect(try await node.state() == state) }
            }
            for node in nodes { node.listener.stop() }
            // Nobody is left to wait for.
            let waiting = Waiting(setting.loop) {
                await ChangeBarrier.settle(via: setting.database, on: setting.loop, setting.configuration)
            }
            #expect(await eventually(within: .seconds(3)) { waiting.hasReturned })
        }
    }

    @Test("nodes of another database are others")
    func otherDatabase() async throws {
        try await run { setting in
            let elsewhere = DatabaseConfiguration(connectionString: try PostgresCluster.shared.makeDatabase())
            let (node, mute) = (setting.node(), setting.node(elsewhere, answers: false))
            await node.start()
            await mute.start()
            let waiting = Waiting(setting.loop) { await node.settle() }
            #expect(await eventually(within: .seconds(3)) { waiting.hasReturned })
            #expect(mute.pings == 0)
            node.listener.stop()
            mute.listener.stop()
        }
    }

    @Test("without a database, it ends after the longest time that anybody trusts what it knew")
    func noDatabase() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.remove() }
        try await run(on: cluster) { setting in
            let node = setting.node()
            await node.start()
            let before = try await node.state()
            #expect(before == .off)
            await onThread { cluster.stop() }
            await node.settle()
            await #expect(throws: DatabaseError.self) { try await node.state() }
            node.listener.stop()
        }
    }

    @Test(
        "what is no message of ours is passed over",
        arguments: ["", "ping", "pong", "pong:1", "ping:1:2:3", "pong:x:y", ":", "client:ping:1"])
    func otherMessages(payload: String) {
        #expect(ChangeBarrier().handle(.notification(channel: "seleid", payload: payload)) == nil)
    }
}
