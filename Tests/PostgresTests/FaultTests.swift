import EventLoop
@testable import Postgres
import TestSupport
import Testing

/// Each test has a server of its own, which it treats badly.
@Suite("Faults of the server", .serialized) struct FaultTests {
    @Test("after kill -9 of the server nothing is refused, and service is back within 5 s without a restart of ours")
    func kill() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.remove() }
        let configuration = try configuration(of: cluster)
        try await withDatabase(configuration) { database throws in
            try await database.execute("create table t (a int primary key)")
            let insert = sql("insert into t select coalesce(max(a), 0) + 1 from t returning a")
            for _ in 0..<2 {
                // Statements in flight all the while: each ends as done or unavailable.
                let clients = (0..<8).map { _ in
                    Task(executorPreference: database.loop) { () -> Set<String> in
                        var seen: Set<String> = []
                        while !Task.isCancelled { seen.insert(await database.failure(sql("select 1")) ?? "done") }
                        return seen
                    }
                }
                #expect(await database.failure(insert) == nil)
                try await offLoop { cluster.kill() }
                #expect(await eventually { !database.isConnected })
                #expect(await database.failure(insert) == "unavailable")
                try await offLoop { try cluster.start() }
                #expect(await eventually(within: .seconds(5)) { await database.failure(insert) == nil })
                for client in clients {
                    client.cancel()
                    #expect(await client.value.subtracting(["done", "unavailable"]) == [])
                }
                try await database.execute("select 1")
            }
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 4)
        }
    }

    @Test("while the server is stopped queries are unavailable; the first one after its return works")
    func stop() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.remove() }
        let configuration = try configuration(of: cluster) { $0.acquireTimeout = .milliseconds(100) }
        try await withDatabase(configuration) { database throws in
            try await database.execute("create table t (a int)")
            let inFlight = Task(executorPreference: database.loop) {
                await database.failure(sql("select pg_sleep(64)"))
            }
            let inTransaction = Task(executorPreference: database.loop) {
                await failure {
                    try await database.transaction {
                        _ = try await $0.query(sql("insert into t values (1)"))
                        _ = try await $0.query(sql("select pg_sleep(64)"))
                    }
                }
            }
            #expect(
                await eventually {
                    (try? cluster.execute("select 1 from pg_stat_activity where query like 'select pg_sleep%'"))?.count
                        == 2
                })
            try await offLoop { cluster.stop() }
            #expect(await inFlight.value == "unavailable")
            #expect(await inTransaction.value == "unavailable")
            let clock = ContinuousClock()
            let start = clock.now
            // Longer than the longest back-off.
            while clock.now - start < .seconds(3) {
                #expect(await database.failure(sql("select 1")) == "unavailable")
                #expect(await failure { try await database.execute("select 1") } == "unavailable")
            }
            try await offLoop { try cluster.start() }
            #expect(await eventually(within: .seconds(5)) { await database.failure(sql("select 1")) == nil })
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 0)
        }
    }

    @Test("a session that is ended by an administrator is unavailable, and another takes its place")
    func terminated() async throws {
        let configuration = try configuration { $0.sharedConnections = 1 }
        try await withDatabase(configuration) { database throws in
            let process = try await database.int(sql("select pg_backend_pid()"))
            let error = await database.error(
                sql("select pg_terminate_backend(pg_backend_pid()) and pg_sleep(65) is null"))
            #expect(error?.code == "unavailable")
            #expect(error?.detail == "57P01: terminating connection due to administrator command")
            let another = try await database.int(sql("select pg_backend_pid()"))
            #expect(another != process)
        }
    }

    @Test("a primary that turns read-only is unavailable and left; it is taken again when it can be written")
    func readOnly() async throws {
        let cluster = try PostgresCluster()
        defer { cluster.remove() }
        let configuration = try configuration(of: cluster) { $0.acquireTimeout = .milliseconds(500) }
        try await withDatabase(configuration) { database throws in
            try await database.execute("create table t (a int)")
            let insert = sql("insert into t values (1)")
            #expect(await database.failure(insert) == nil)
            try await offLoop { try cluster.setReadOnly(true) }
            #expect(await eventually { await database.failure(insert) == "unavailable" })
            // It is not asked again, since no connection stays there, and none is made.
            #expect(await eventually { !database.isConnected })
            #expect(await database.failure(sql("select 1")) == "unavailable")
            try await offLoop { try cluster.setReadOnly(false) }
            #expect(await eventually(within: .seconds(5)) { await database.failure(insert) == nil })
            #expect(await failure { try await database.execute("insert into t values (2)") } == nil)
        }
    }

    @Test("with two hosts the writable one is used, and the other as soon as they change places")
    func failover() async throws {
        let clusters = [try PostgresCluster(), try PostgresCluster()]
        defer { for cluster in clusters { cluster.remove() } }
        for (index, cluster) in clusters.enumerated() {
            try cluster.execute("create table t as select \(index) as a")
        }
        try clusters[0].setReadOnly(true)
        let hosts = clusters.map(\.directory).joined(separator: ",")
        let configuration = DatabaseConfiguration(
            connectionString: "host=\(hosts) port=5432 user=postgres dbname=postgres")
        try await withDatabase(configuration) { database throws in
            for primary in [1, 0, 1] {
                try await offLoop {
                    try clusters[1 - primary].setReadOnly(true)
                    try clusters[primary].setReadOnly(false)
                }
                let update = sql("update t set a = a returning a")
                #expect(
                    await eventually(within: .seconds(5)) {
                        (try? await database.int(update)) == Int64(primary)
                    })
                // Nothing reads from the old one any more.
                for _ in 0..<20 {
                    #expect(try await database.query(sql("select a from t")).first?.int(0) == Int64(primary))
                }
                let value = try await database.transaction { try await $0.query(update).first?.int(0) }
                #expect(value == Int64(primary))
            }
        }
    }

    @Test("a connection string that libpq does not understand is said to be so, and is unavailable at once")
    func badConnectionString() async throws {
        for string in ["", "host=a host", "postgres://[", "hots=a", "secret"] {
            let isValid = DatabaseConfiguration(connectionString: string).hasValidConnectionString
            #expect(isValid == (string == ""))
        }
        var configuration = DatabaseConfiguration(connectionString: "password=hunter2 hots=a")
        configuration.acquireTimeout = .milliseconds(100)
        try await withDatabase(configuration) { database throws in
            let error = await database.error(sql("select 1"))
            #expect(error?.code == "unavailable")
            #expect(error?.detail.contains("hunter2") == false)
        }
    }

    @Test("a host name that cannot be looked up is unavailable in time, and the loop goes on meanwhile")
    func unknownHost() async throws {
        var configuration = DatabaseConfiguration(connectionString: "host=no-such-host.invalid dbname=x")
        configuration.acquireTimeout = .milliseconds(300)
        try await withDatabase(configuration) { database throws in
            let clock = ContinuousClock()
            let start = clock.now
            async let failure = database.failure(sql("select 1"))
            await database.loop.sleep(for: .milliseconds(10))
            #expect(clock.now - start < .milliseconds(250))
            #expect(await failure == "unavailable")
            #expect(clock.now - start < .seconds(3))
        }
    }

    @Test("all addresses of a host name are tried")
    func hostName() async throws {
        let proxy = try Proxy(to: PostgresCluster.shared.socketPath)
        defer { proxy.close() }
        // Often ::1 and 127.0.0.1, of which the proxy has only the latter.
        var configuration = try configuration()
        configuration.connectionString += " host=localhost port=\(proxy.port)"
        try await withDatabase(configuration) { #expect(await $0.failure(sql("select 1")) == nil) }
    }

    @Test("a server that has no room for more sessions is unavailable, and used when it has")
    func noRoom() async throws {
        let cluster = try PostgresCluster(settings: ["max_connections=6", "superuser_reserved_connections=0"])
        defer { cluster.remove() }
        let full = try configuration(of: cluster) {
            $0.sharedConnections = 6  // and one exclusive: one too many
        }
        try await withDatabase(full) { database throws in
            #expect(await database.failure(sql("select 1")) == nil)
            #expect(await eventually { database.readyShared.count + database.idleExclusive.count == 6 })
            var late = full
            late.sharedConnections = 1
            late.acquireTimeout = .milliseconds(300)
            let lateConfiguration = late
            try await withDatabase(lateConfiguration) { second in
                #expect(await second.failure(sql("select 1")) == "unavailable")
            }
        }
        try await withDatabase(full) { #expect(await $0.failure(sql("select 1")) == nil) }
    }
}
