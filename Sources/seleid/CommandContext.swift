import Administration
import EventLoop
import Issuance
import OpenID
import Postgres
import Provider
import Telemetry

/// What a command works with that needs the database: a connection on a loop of its own.
struct CommandContext: Sendable {
    let database: Database
    let masterKeysIfSet: MasterKeys?
    /// Who typed the command.
    let administrator: Administrator
    private let issuerIfSet: Issuer?
    private let loop: EventLoop
    private let configuration: DatabaseConfiguration

    /// Connects as the environment says, runs `body`, and closes.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (CommandContext) async throws -> Value
    ) throws -> Value {
        let environment = currentEnvironment()
        let settings = try AdministrationConfiguration(environment: environment)
        let user = operatingSystemUser()
        // What fails is told in words; the log is for servers.
        Log.setMinimumLevel(.error)
        return try runOnLoop { loop in
            let database = Database(loop: loop, configuration: settings.database)
            database.start()
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await body(
                        CommandContext(
                            database: database, masterKeysIfSet: settings.masterKeys,
                            administrator: Administrator(actor: .command(user), origin: .none),
                            issuerIfSet: settings.issuer, loop: loop,
                            configuration: settings.database)))
            } catch {
                result = .failure(error)
            }
            await database.close(limit: .seconds(5))
            return try result.get()
        }
    }

    /// Connects, changes something in one transaction with the record of it, and prints what was changed once every running
    /// server obeys.
    /// - Parameter body: returns a line for each thing. May be run more than once.
    static func change(
        _ invocation: Invocation, _ body: @escaping @Sendable (CommandContext, Changes) async throws -> [String]
    ) throws {
        let lines = try run { context in
            try await context.change(invocation) { try await body(context, $0) }
        }
        Output.changes(lines, invocation)
    }

    /// - Parameter invocation: with `--dry-run` everything is done and said, and rolled back.
    func change<Value: Sendable>(
        _ invocation: Invocation, _ body: (Changes) async throws -> Value
    ) async throws -> Value {
        let value = try await ChangeRunner(database: database)
            .run(by: administrator, isDryRun: invocation.isDryRun, body)
        if !invocation.isDryRun { await settle() }
        return value
    }

    /// Returns when every running server obeys what has been committed; within 5 s in any case.
    func settle() async { await ChangeBarrier.settle(via: database, on: loop, configuration) }

    /// - Throws: when no master key is set.
    func masterKeys() throws -> MasterKeys {
        guard let masterKeysIfSet else {
            throw SystemError("SELEID_MASTER_KEY_FILE: must be set (or SELEID_MASTER_KEY)")
        }
        return masterKeysIfSet
    }

    /// - Throws: when none is set, or what is set is none.
    func issuer() throws -> Issuer {
        guard let issuerIfSet else { throw SystemError("SELEID_ISSUER: must be set, to the server's") }
        return issuerIfSet
    }
}
