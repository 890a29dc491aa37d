import EventLoop
import TestSupport
import Testing

@testable import Postgres

@Suite("Pipelined statements") struct PipelineTests {
    @Test("an error hurts only its own statement, not those beside it in the pipeline")
    func isolation() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            try await database.execute("create table t (a int primary key)")
            let outcomes = await withTaskGroup(of: (Int, String?).self) { group in
                for index in 0..<400 {
                    group.addTask {
                        let failure =
                            index % 10 == 3
                            ? await database.failure(sql("select 1 / ($1 - $1)"), [.int(Int64(index))])
                            : await database.failure(sql("insert into t values ($1)"), [.int(Int64(index))])
                        return (index, failure)
                    }
                }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 ?? "done" }
            }
            for index in 0..<400 { #expect(outcomes[index] == (index % 10 == 3 ? "22012" : "done")) }
            #expect(try await database.int(sql("select count(*) from t")) == 360)
        }
    }

    @Test("an error at the end of the implicit transaction is the statement's own")
    func deferredConstraint() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            try await database.execute(
                "create table t (a int constraint only_once unique deferrable initially deferred)")
            let outcomes = await withTaskGroup(of: (Int, String?).self) { group in
                for index in 0..<60 {
                    group.addTask {
                        let value = Int64(index % 20)
                        return (index, await database.failure(sql("insert into t values ($1)"), [.int(value)]))
                    }
                }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 ?? "done" }
            }
            #expect(outcomes.values.filter { $0 == "done" }.count == 20)
            #expect(outcomes.values.filter { $0 == "23505" }.count == 40)
            do {
                _ = try await database.query(sql("insert into t values ($1)"), [.int(3)])
                Issue.record("the second 3 was taken")
            } catch DatabaseError.refused(let sqlState, let constraint, _) {
                #expect(sqlState == "23505")
                #expect(constraint == "only_once")
            }
        }
    }

    @Test("a statement that cannot be prepared fails for each of its uses, until it can be")
    func failedPreparation() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            let statement = sql("select a from appears_later")
            for _ in 0..<2 {
                let failures = await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<8 { group.addTask { await database.failure(statement) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(failures == [String?](repeating: "42P01", count: 8))
            }
            try await database.execute("create table appears_later as select 5 as a")
            let failures = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<8 { group.addTask { await database.failure(statement) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures == [String?](repeating: nil, count: 8))
            #expect(try await database.int(statement) == 5)
        }
    }

    @Test("prepared statements dropped behind our back are prepared again")
    func droppedPreparation() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            #expect(try await database.int(sql("select 3")) == 3)
            _ = try await database.query(sql("deallocate all"))
            #expect(try await database.int(sql("select 3")) == 3)
        }
    }

    @Test("a migration that changes the columns of a prepared statement does not fail it")
    func changedColumns() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            try await database.execute("create table t as select 1 as a")
            #expect(try await database.int(sql("select * from t")) == 1)
            try await database.execute("alter table t alter a type text using 'now ' || a")
            #expect(try await database.query(sql("select * from t")).first?.string(0) == "now 1")
            // In a transaction, the whole of it is run again.
            let star = sql("select a.* from t a")
            try await database.transaction { _ = try await $0.query(star) }
            try await database.execute("alter table t add b int default 7")
            let value = try await database.transaction { try await $0.query(star).first?.int(1) }
            #expect(value == 7)
        }
    }

    @Test("large values in both directions do not block the pipeline")
    func largeValues() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            let large = [UInt8](repeating: 0x41, count: 3_000_000)
            let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<12 {
                    group.addTask {
                        if index % 2 == 0 {
                            return try await database.row(sql("select $1 || $1"), [.bytes(large)]).bytes(0).count
                        }
                        return Int(try await database.int(sql("select $1 + 0"), [.int(1)]))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lengths.sorted() == Array(repeating: 1, count: 6) + Array(repeating: 6_000_000, count: 6))
        }
    }

    @Test("names that agree in their first 63 bytes are kept apart")
    func longNames() async throws {
        try await withDatabase(configuration { $0.sharedConnections = 1 }) { database in
            let prefix = String(repeating: "n", count: 100)
            let values = try await [
                database.int(Statement(prefix + "1", "select 1")), database.int(Statement(prefix + "2", "select 2")),
            ]
            #expect(values == [1, 2])
        }
    }

    @Test("above the queue limit a query is unavailable at once, and those below it are served")
    func queueLimit() async throws {
        let configuration = try configuration {
            $0.sharedConnections = 1
            $0.queueLimit = 100
        }
        try await withDatabase(configuration) { database in
            let failures = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<150 { group.addTask { await database.failure(sql("select pg_sleep(0.001)")) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.filter { $0 == nil }.count == 100)
            #expect(failures.filter { $0 == "unavailable" }.count == 50)
            #expect(await database.failure(sql("select 1")) == nil)
        }
    }

    @Test("a slow statement on one connection does not hold up others while there is a second connection")
    func slowNeighbour() async throws {
        let configuration = try configuration {
            $0.sharedConnections = 2
            $0.statementTimeout = .seconds(60)
        }
        try await withDatabase(configuration) { database in
            #expect(await eventually { database.readyShared.count == 2 })
            // One statement waits for a lock that is held until all others have been answered.
            let lock = sql("select pg_advisory_xact_lock(1)")
            let waiter = try await database.transaction { transaction in
                _ = try await transaction.query(lock)
                let start = MonotonicTime.now
                let waiter = Task(executorPreference: database.loop) { await database.failure(lock) }
                // From then on it counts as slow.
                #expect(await eventually { MonotonicTime.now.duration(since: start) > Database.stallTime * 2 })
                for _ in 0..<200 {
                    let failures = await withTaskGroup(of: String?.self) { group in
                        for _ in 0..<3 { group.addTask { await database.failure(sql("select 1")) } }
                        return await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(failures == [nil, nil, nil])
                }
                return waiter
            }
            #expect(await waiter.value == nil)
        }
    }

    @Test("errors say nothing of the database's text in their description, and no values in their detail")
    func noText() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (secret text constraint secrets primary key)")
            _ = try await database.query(sql("insert into t values ($1)"), [.text("hunter2")])
            let error = try #require(await database.error(sql("insert into t values ($1)"), [.text("hunter2")]))
            #expect("\(error)" == "the database refused a statement (SQLSTATE 23505)")
            #expect(error.detail == "23505: duplicate key value violates unique constraint \"secrets\"")
            let invalid = try #require(await database.error(sql("select $1::text::int"), [.text("hunter2")]))
            #expect("\(invalid)" == "the database refused a statement (SQLSTATE 22P02)")
            #expect(invalid.detail == "22P02: invalid input syntax for type integer: ")
        }
    }
}
