import EventLoop
import Issuance
import Postgres
import Provider
import Telemetry

/// What a command works with that needs the database: a connection on a loop of its own.
struct Terminal: Sendable {
    let database: Database
    let masterKeysIfSet: MasterKeys?
    private let loop: EventLoop
    private let configuration: DatabaseConfiguration

    /// Connects as the environment says, runs `body`, and closes.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Terminal) async throws -> Value
    ) throws -> Value {
        let settings = try AdministrationConfiguration(environment: currentEnvironment())
        // What fails is told in words; the log is for servers.
        Log.setMinimumLevel(.error)
        return try runOnLoop { loop in
            let database = Database(loop: loop, configuration: settings.database)
            database.start()
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await body(
                        Terminal(
                            database: database, masterKeysIfSet: settings.masterKeys, loop: loop,
                            configuration: settings.database)))
            } catch {
                result = .failure(error)
            }
            await database.close(limit: .seconds(5))
            return try result.get()
        }
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
}
