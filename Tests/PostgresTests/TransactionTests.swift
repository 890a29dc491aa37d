import EventLoop
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Transactions") struct TransactionTests {
    private struct Stop: Error {}

    @Test("all of a transaction is kept, or nothing of it")
    func atomic() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (a int)")
            let insert = sql("insert into t values ($1)")
            let count = sql("select count(*) from t")
            try await database.transaction {
                for value in 1...3 { _ = try await $0.query(insert, [.int(Int64(value))]) }
                // Nobody else sees it yet.
                let seen = try await database.int(count)
                #expect(seen == 0)
            }
            await #expect(throws: Stop.self) {
                try await database.transaction {
                    _ = try await $0.query(insert, [.int(4)])
                    throw Stop()
                }
            }
            let refused = await failure {
                try await database.transaction {
                    _ = try await $0.query(insert, [.int(5)])
                    _ = try await $0.query(sql("select 1 / 0"))
                }
            }
            #expect(refused == "22012")
            let kept = try await database.int(count)
            #expect(kept == 3)
        }
    }

    @Test("statements of a transaction may have a limit of their own, and those after it have the usual one again")
    func limit() async throws {
        let configuration = try configuration {
            $0.statementTimeout = .milliseconds(200)
            $0.sharedConnections = 1
            $0.exclusiveConnections = 1
        }
        try await withDatabase(configuration) { database in
            let slow = sql("select pg_sleep(1)")
            try await database.transaction(limit: .seconds(60)) { _ = try await $0.query(slow) }
            let cancelled = await failure { try await database.transaction { _ = try await $0.query(slow) } }
            #expect(cancelled == "unavailable")
            let short = await failure {
                try await database.transaction(limit: .milliseconds(10)) { _ = try await $0.query(slow) }
            }
            #expect(short == "unavailable")
        }
    }

    @Test("a body that goes on after a refused statement does not end as if it were committed")
    func swallowedError() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (a int)")
            let outcome = await failure {
                try await database.transaction {
                    _ = try await $0.query(sql("insert into t values (1)"))
                    _ = try? await $0.query(sql("select 1 / 0"))
                }
            }
            #expect(outcome == "25P02")
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 0)
            #expect(await failure { try await database.execute("select 1") } == nil)
        }
    }

    @Test("an error that comes with COMMIT is the transaction's")
    func commitError() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (a int unique deferrable initially deferred)")
            let outcome = await failure {
                try await database.transaction {
                    _ = try await $0.query(sql("insert into t values (1)"))
                    _ = try await $0.query(sql("insert into t values (1)"))
                }
            }
            #expect(outcome == "23505")
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 0)
        }
    }

    /// Two transactions that want each other's rows: each has locked its first one before either asks for its second.
    private final class Crossing: Sendable {
        let runs = Mutex(0)
        private let locked = Mutex(0)
        private let update = sql("update t set n = n + 1 where a = $1")

        func run(on database: Database, _ first: Int64, _ second: Int64) async -> String? {
            await failure {
                try await database.transaction { transaction in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    _ = try await transaction.query(update, [.int(first)])
                    locked.withLock { $0 += 1 }
                    if run <= 2 { #expect(await eventually { locked.withLock { $0 >= 2 } }) }
                    _ = try await transaction.query(update, [.int(second)])
                }
            }
        }
    }

    @Test("of two transactions in a deadlock one is run again, and both are done")
    func deadlock() async throws {
        let configuration = try configuration { $0.exclusiveConnections = 2 }
        try await withDatabase(configuration) { database in
            try await database.execute("create table t as select a, 0 as n from generate_series(1, 2) a")
            let crossing = Crossing()
            async let one = crossing.run(on: database, 1, 2)
            async let other = crossing.run(on: database, 2, 1)
            #expect(await one == nil)
            #expect(await other == nil)
            // Three runs, unless the winner is slow to use its chance.
            #expect((3...5).contains(crossing.runs.withLock { $0 }))
            let sum = try await database.int(sql("select sum(n) from t"))
            #expect(sum == 4)
        }
    }

    @Test(
        "a serialization failure runs the whole body again, three times at most, whatever the body makes of the error")
    func serializationFailure() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute(
                """
                create sequence runs;
                create function fail_until(n int) returns bigint language plpgsql as $$
                begin
                    if nextval('runs') < n then raise exception 'again' using errcode = '40001'; end if;
                    return currval('runs');
                end $$
                """)
            let fail = sql("select fail_until($1::int)")
            let runs = try await database.transaction { try await $0.query(fail, [.int(4)]).first?.int(0) }
            #expect(runs == 4)
            // The same for a single statement.
            let statementRuns = try await database.int(fail, [.int(8)])
            #expect(statementRuns == 8)
            let restart = sql("select setval('runs', 1, false)")
            _ = try await database.query(restart)
            let givenUp = await failure { _ = try await database.transaction { try await $0.query(fail, [.int(99)]) } }
            #expect(givenUp == "unavailable")
            let transactionRuns = try await database.int(sql("select last_value from runs"))
            #expect(transactionRuns == 4)
            _ = try await database.query(restart)
            #expect(await database.failure(fail, [.int(99)]) == "unavailable")
            let lastRuns = try await database.int(sql("select last_value from runs"))
            #expect(lastRuns == 4)
            _ = try await database.query(restart)
            let wrapped = try await database.transaction { transaction in
                do {
                    return try await transaction.query(fail, [.int(2)]).first?.int(0)
                } catch {
                    throw Stop()
                }
            }
            #expect(wrapped == 2)
        }
    }

    @Test("several statements as text, and their error")
    func text() async throws {
        try await withDatabase(configuration()) { database in
            try await database.transaction {
                try await $0.execute("create table t (a int); insert into t values (1); insert into t values (2)")
                _ = try await $0.query(sql("insert into t values (3)"))
                try await $0.execute("")
            }
            let outcome = await failure {
                try await database.execute("insert into t values (4); select 1 / 0; insert into t values (5)")
            }
            #expect(outcome == "22012")
            #expect(await failure { try await database.execute("copy t from stdin") } == "unavailable")
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 3)
        }
    }

    @Test("a statement over its time ends the transaction, on the server too")
    func timeOut() async throws {
        let configuration = try configuration { $0.statementTimeout = .milliseconds(200) }
        try await withDatabase(configuration) { database in
            try await database.execute("create table t (a int)")
            let outcome = await failure {
                try await database.transaction {
                    _ = try await $0.query(sql("insert into t values (1)"))
                    _ = try await $0.query(sql("select pg_sleep(66)"))
                }
            }
            #expect(outcome == "unavailable")
            let count = try await database.int(sql("select count(*) from t"))
            #expect(count == 0)
            try await database.execute("insert into t values (2)")
        }
    }

    @Test("many transactions share one connection, one after the other")
    func sharing() async throws {
        try await withDatabase(configuration { $0.exclusiveConnections = 1 }) { database in
            try await database.execute("create table t as select 0 as a")
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await failure {
                            try await database.transaction {
                                let value = try await $0.query(sql("select a from t")).first?.int(0)
                                _ = try await $0.query(sql("update t set a = $1 + 1"), [.optional(value)])
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes == [String?](repeating: nil, count: 100))
            let value = try await database.int(sql("select a from t"))
            #expect(value == 100)
        }
    }
}
