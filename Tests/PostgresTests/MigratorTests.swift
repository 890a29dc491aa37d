import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("Migrations") struct MigratorTests {
    private let first = Migration(number: 1, name: "first", sql: "create table log (a int); insert into log values (1)")
    private let second = Migration(number: 2, name: "second", sql: "insert into log values (2);")
    private let third = Migration(number: 3, name: "third", sql: "insert into log values (3) -- no end")

    private func log(_ database: Database) async throws -> [Int64] {
        let rows = try await database.query(sql("select a from log"))
        return rows.map { $0.int(0) }
    }

    private func run(_ migrations: [Migration], _ database: Database) async -> MigrationError? {
        do {
            _ = try await Migrator(migrations: migrations).run(on: database)
            return nil
        } catch {
            #expect(error is MigrationError)
            return error as? MigrationError
        }
    }

    @Test("they are applied in the order of their numbers, once")
    func order() async throws {
        try await withDatabase(configuration()) { database throws in
            let migrator = Migrator(migrations: [third, first, second])
            #expect(try await migrator.pending(on: database) == ["first", "second", "third"])
            #expect(try await migrator.run(on: database) == ["first", "second", "third"])
            #expect(try await migrator.pending(on: database) == [])
            #expect(try await migrator.run(on: database) == [])
            #expect(try await log(database) == [1, 2, 3])
            let row = try await database.row(
                sql("select name, sha256 = encode(sha256($1), 'hex') from schema_migrations where number = 2"),
                [.bytes(Array(second.sql.utf8))])
            #expect(row.string(0) == "second")
            #expect(row.bool(1))
        }
    }

    @Test("later ones are added to those applied before")
    func later() async throws {
        try await withDatabase(configuration()) { database throws in
            #expect(try await Migrator(migrations: [first]).run(on: database) == ["first"])
            let migrator = Migrator(migrations: [first, second])
            #expect(try await migrator.pending(on: database) == ["second"])
            #expect(try await migrator.run(on: database) == ["second"])
        }
    }

    @Test("an applied one whose text has changed is refused, and nothing is applied")
    func changed() async throws {
        try await withDatabase(configuration()) { database throws in
            #expect(await run([first, second], database) == nil)
            let altered = Migration(number: 1, name: "first", sql: first.sql + " ")
            #expect(await run([altered, second, third], database) == .changed("first"))
            await #expect(throws: MigrationError.changed("first")) {
                try await Migrator(migrations: [altered, second, third]).pending(on: database)
            }
            #expect(try await log(database) == [1, 2])
        }
    }

    @Test("one that a newer release applied is left alone; one that is missing in our list is refused")
    func unknown() async throws {
        try await withDatabase(configuration()) { database throws in
            #expect(await run([first, second, third], database) == nil)
            #expect(await run([first, second], database) == nil)
            #expect(try await Migrator(migrations: [first]).pending(on: database) == [])
            #expect(await run([first, third], database) == .unknown(number: 2, name: "second"))
        }
    }

    @Test("one that comes before an applied one is refused")
    func outOfOrder() async throws {
        try await withDatabase(configuration()) { database throws in
            #expect(await run([first, third], database) == nil)
            #expect(await run([first, second, third], database) == .outOfOrder("second"))
            #expect(try await log(database) == [1, 3])
        }
    }

    @Test("one that fails leaves nothing behind, and those before it stay")
    func failing() async throws {
        try await withDatabase(configuration()) { database throws in
            let bad = Migration(
                number: 2, name: "bad", sql: "insert into log values (2); insert into nowhere values (1)")
            let failed = MigrationError.failed("bad", detail: "42P01: relation \"nowhere\" does not exist")
            #expect(await run([first, bad], database) == failed)
            #expect(try await log(database) == [1])
            #expect(try await Migrator(migrations: [first, bad]).pending(on: database) == ["bad"])
            #expect(await run([first, second], database) == nil)
        }
    }

    @Test("nodes that start at the same moment apply each migration once")
    func parallel() async throws {
        let configuration = try configuration()
        let migrations =
            [first]
            + (2..<12).map {
                Migration(number: $0, name: "m\($0)", sql: "insert into log values (\($0)); select pg_sleep(0.01)")
            }
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await withDatabase(configuration) { try await Migrator(migrations: migrations).run(on: $0) }
                }
            }
            return try await group.reduce([], +)
        }
        #expect(applied.sorted() == migrations.map(\.name).sorted())
        let values = try await withDatabase(configuration) { try await log($0) }
        #expect(values == Array(1...11))
    }

    @Test("a migration may take longer than the statement time-out; afterwards the time-out holds again")
    func slow() async throws {
        let configuration = try configuration { $0.statementTimeout = .milliseconds(100) }
        try await withDatabase(configuration) { database throws in
            // Beyond the client's own patience, too.
            let slow = Migration(number: 2, name: "slow", sql: "select pg_sleep(1.5)")
            #expect(await run([first, slow], database) == nil)
            #expect(await failure { try await database.execute("select pg_sleep(67)") } == "unavailable")
        }
    }
}
