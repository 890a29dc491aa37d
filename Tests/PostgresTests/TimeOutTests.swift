import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("Time-outs") struct TimeOutTests {
    /// How many sessions of the database run the statement.
    private func running(_ text: String, _ configuration: DatabaseConfiguration) -> Int {
        let sql = """
            select count(*) from pg_stat_activity
            where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query = '\(text)'
            """
        let rows = try? PostgresCluster.shared.execute(sql, in: configuration.connectionString)
        return rows.flatMap { Int($0[0][0]) } ?? -1
    }

    @Test("a statement over its time is unavailable, and stops on the server")
    func statement() async throws {
        let configuration = try configuration { $0.statementTimeout = .seconds(2) }
        try await withDatabase(configuration) { database in
            async let failure = database.failure(sql("select pg_sleep(61)"))
            #expect(await eventually { running("select pg_sleep(61)", configuration) == 1 })
            #expect(await failure == "unavailable")
            #expect(running("select pg_sleep(61)", configuration) == 0)
            #expect(await database.failure(sql("select 1")) == nil)
        }
    }

    @Test("the client has it cancelled itself when the server's own time-out does not do it")
    func cancellation() async throws {
        let configuration = try configuration {
            $0.statementTimeout = .milliseconds(200)
            $0.sharedConnections = 1
        }
        try await withDatabase(configuration) { database in
            _ = try await database.query(sql("set statement_timeout = 0"))
            let process = try await database.int(sql("select pg_backend_pid()"))
            let error = await database.error(sql("select pg_sleep(62)"))
            #expect(error?.code == "unavailable")
            #expect(error?.detail == "57014: canceling statement due to user request")
            #expect(running("select pg_sleep(62)", configuration) == 0)
            // The session has survived it.
            let processAfterwards = try await database.int(sql("select pg_backend_pid()"))
            #expect(processAfterwards == process)
        }
    }

    @Test("statements behind one that is stuck wait no longer for it than their own time, and none is done later")
    func behindAStuckStatement() async throws {
        let configuration = try configuration {
            $0.statementTimeout = .seconds(1)
            $0.sharedConnections = 1
        }
        try await withDatabase(configuration) { database in
            try await database.execute("create table counted (n int); insert into counted values (0)")
            let lock = "begin; lock table counted in access exclusive mode; select pg_sleep(63)"
            // A child of this task, so that it begins on the loop and not when a thread of the shared pool is free.
            async let holder: Void = onThread {
                _ = try? PostgresCluster.shared.execute(lock, in: configuration.connectionString)
            }
            #expect(await eventually { running(lock, configuration) == 1 })
            let clock = ContinuousClock()
            let start = clock.now
            let failures = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<30 { group.addTask { await database.failure(sql("update counted set n = n + 1")) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures == Array(repeating: "unavailable", count: 30))
            // One after the other they would take 30 s.
            #expect(clock.now - start < .seconds(15))
            try PostgresCluster.shared.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where query = '\(lock)'",
                in: configuration.connectionString)
            await holder
            let count = try await database.int(sql("select n from counted"))
            #expect(count == 0)
        }
    }

    @Test("behind a proxy that falls silent, statements become unavailable in time, and work again when it recovers")
    func silentProxy() async throws {
        let proxy = try Proxy(to: PostgresCluster.shared.socketPath)
        defer { proxy.close() }
        var configuration = try configuration {
            $0.statementTimeout = .milliseconds(200)
            $0.acquireTimeout = .milliseconds(300)
            $0.connectTimeout = .milliseconds(300)
        }
        configuration.connectionString += " host=127.0.0.1 port=\(proxy.port)"
        try await withDatabase(configuration) { database in
            let clock = ContinuousClock()
            #expect(await database.failure(sql("select 1")) == nil)
            for _ in 0..<2 {
                proxy.isSilent = true
                let start = clock.now
                let failures = await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<20 { group.addTask { await database.failure(sql("select 1")) } }
                    for _ in 0..<4 { group.addTask { await failure { try await database.execute("select 1") } } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(failures == Array(repeating: "unavailable", count: 24))
                #expect(clock.now - start < .seconds(3))
                // A connection that came up meanwhile and was not asked yet still has to find out.
                #expect(
                    await eventually {
                        await database.failure(sql("select 1")) == "unavailable" && !database.isConnected
                    })
                // Now new connections are taken, but never answered.
                let accepted = proxy.accepted
                #expect(await eventually { proxy.accepted > accepted })
                #expect(await database.failure(sql("select 1")) == "unavailable")
                proxy.isSilent = false
                #expect(await eventually(within: .seconds(5)) { await database.failure(sql("select 1")) == nil })
            }
        }
    }

    @Test("a query that finds no connection waits its time, and not longer")
    func acquire() async throws {
        let proxy = try Proxy(to: "/nowhere", isSilent: true)
        defer { proxy.close() }
        var configuration = DatabaseConfiguration(
            connectionString: "host=127.0.0.1 port=\(proxy.port) user=postgres dbname=postgres")
        configuration.acquireTimeout = .milliseconds(300)
        configuration.connectTimeout = .milliseconds(200)
        try await withDatabase(configuration) { database in
            let clock = ContinuousClock()
            let start = clock.now
            async let transaction = failure { try await database.execute("select 1") }
            #expect(await database.failure(sql("select 1")) == "unavailable")
            #expect(await transaction == "unavailable")
            #expect(clock.now - start >= .milliseconds(300))
            #expect(clock.now - start < .seconds(2))
            #expect(!database.isConnected)
            // Each attempt to connect ends in time and is followed by another.
            #expect(await eventually { proxy.accepted >= 6 })
        }
    }

    @Test("a query that comes before the first connection is up waits for it")
    func early() async throws {
        let configuration = try configuration()
        try await onLoop { loop in
            let database = Database(loop: loop, configuration: configuration)
            database.start()
            #expect(!database.isConnected)
            #expect(await database.failure(sql("select 1")) == nil)
            #expect(database.isConnected)
            await database.close(limit: .seconds(5))
        }
    }

    @Test("a transaction that waits for a busy exclusive connection gets it, or is unavailable in time")
    func exclusive() async throws {
        let configuration = try configuration {
            $0.exclusiveConnections = 1
            $0.acquireTimeout = .milliseconds(300)
        }
        try await withDatabase(configuration) { database in
            try await database.execute("select 1")
            async let first = failure { try await database.execute("select pg_sleep(0.1)") }
            async let second = failure { try await database.execute("select 2") }
            #expect(await first == nil)
            #expect(await second == nil)
            async let long = failure { try await database.execute("select pg_sleep(1)") }
            async let late = failure { try await database.execute("select 2") }
            #expect(await late == "unavailable")
            #expect(await long == nil)
            try await database.execute("select 3")
        }
    }

    @Test("a first host that swallows packets does not keep us from the second")
    func firstHostSilent() async throws {
        let silent = try Proxy(to: "/nowhere", isSilent: true)
        let good = try Proxy(to: PostgresCluster.shared.socketPath)
        defer {
            silent.close()
            good.close()
        }
        var configuration = try configuration {
            $0.connectTimeout = .milliseconds(300)
            $0.acquireTimeout = .seconds(5)
        }
        configuration.connectionString += " host=127.0.0.1,127.0.0.1 port=\(silent.port),\(good.port)"
        try await withDatabase(configuration) { database in
            #expect(await database.failure(sql("select 1")) == nil)
        }
    }

    @Test("closing waits for what is in flight, refuses what comes later, and gives up at its limit")
    func close() async throws {
        let configuration = try configuration()
        try await onLoop { loop in
            let database = Database(loop: loop, configuration: configuration)
            database.start()
            try await database.execute("create table t (a int)")
            let insert = sql("insert into t select 1 from pg_sleep(0.5)")
            let statement = Task(executorPreference: loop) { await database.failure(insert) }
            let transaction = Task(executorPreference: loop) {
                await failure {
                    try await database.transaction {
                        _ = try await $0.query(insert)
                        _ = try await $0.query(insert)
                    }
                }
            }
            #expect(await eventually { running("insert into t select 1 from pg_sleep(0.5)", configuration) == 2 })
            await database.close(limit: .seconds(5))
            #expect(await statement.value == nil)
            #expect(await transaction.value == nil)
            #expect(await database.failure(sql("select 1")) == "unavailable")
            #expect(await failure { try await database.execute("select 1") } == "unavailable")
            let rows = try PostgresCluster.shared.execute("select count(*) from t", in: configuration.connectionString)
            #expect(rows == [["3"]])

            let second = Database(loop: loop, configuration: configuration)
            second.start()
            let stuck = Task(executorPreference: loop) { await second.failure(sql("select pg_sleep(63)")) }
            #expect(await eventually { running("select pg_sleep(63)", configuration) == 1 })
            await second.close(limit: .milliseconds(100))
            #expect(await stuck.value == "unavailable")
        }
    }
}
