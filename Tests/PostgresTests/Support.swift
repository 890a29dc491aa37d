import EventLoop
import Postgres
import Telemetry
import TestSupport
import Testing

/// Tests lose their databases on purpose, and would fill the output with it.
enum Quiet {
    static let now: Void = Log.setMinimumLevel(.error)
}

/// A statement named like its text.
func sql(_ text: String) -> Statement { Statement(text, text) }

/// A fresh database of the shared cluster, or of `cluster`.
func configuration(
    of cluster: PostgresCluster = .shared, _ change: (inout DatabaseConfiguration) -> Void = { _ in }
) throws -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(connectionString: try cluster.makeDatabase())
    change(&configuration)
    return configuration
}

/// Runs `body` on an event loop with an open client, and closes it afterwards.
func withDatabase<Value: Sendable>(
    _ configuration: DatabaseConfiguration, _ body: @escaping @Sendable (Database) async throws -> Value
) async throws -> Value {
    Quiet.now
    return try await onLoop { loop in
        let database = Database(loop: loop, configuration: configuration)
        database.start()
        do {
            let value = try await body(database)
            await database.close(limit: .seconds(5))
            return value
        } catch {
            await database.close(limit: .seconds(5))
            throw error
        }
    }
}

extension Database {
    /// Runs SQL text, for making tables.
    func execute(_ sql: String) async throws {
        try await transaction { try await $0.execute(sql) }
    }

    /// The SQLSTATE a statement is refused with, `unavailable`, or nil when it is done.
    func failure(_ statement: Statement, _ parameters: [Parameter] = []) async -> String? {
        await error(statement, parameters)?.code
    }

    func error(_ statement: Statement, _ parameters: [Parameter] = []) async -> DatabaseError? {
        do {
            _ = try await query(statement, parameters)
            return nil
        } catch {
            return error
        }
    }

    /// The first row of the answer.
    func row(_ statement: Statement, _ parameters: [Parameter] = []) async throws -> Row {
        try #require(try await query(statement, parameters).first)
    }

    /// The integer in the first column of the first row.
    func int(_ statement: Statement, _ parameters: [Parameter] = []) async throws -> Int64 {
        try await row(statement, parameters).int(0)
    }
}

extension DatabaseError {
    var code: String {
        switch self {
        case .unavailable: "unavailable"
        case .refused(let sqlState, _, _): sqlState
        }
    }
}

extension PostgresCluster {
    /// Makes the server read-only, or writable again.
    func setReadOnly(_ isReadOnly: Bool) throws {
        let session = connectionString() + " options='-c default_transaction_read_only=off'"
        try execute("alter system set default_transaction_read_only = \(isReadOnly ? "on" : "off")", in: session)
        try execute("select pg_reload_conf()", in: session)
    }
}

/// The SQLSTATE that `body` fails with, `unavailable`, or nil.
func failure(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DatabaseError)?.code ?? "\(error)"
    }
}

/// Runs a blocking call on a thread of its own, so that the loop goes on.
@discardableResult
func offLoop<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onThread { Result { try body() } }.get()
}
