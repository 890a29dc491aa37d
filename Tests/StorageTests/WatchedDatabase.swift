import EventLoop
import Postgres
import Storage
import Synchronization

/// The database, with a count of what it was asked, and something that may happen between its answer and who asked.
final class WatchedDatabase: StatementRunner {
    private let database: Database
    private let state = Mutex((count: 0, between: [@Sendable () async throws -> Void]()))

    init(_ database: Database) { self.database = database }

    /// Statements until now.
    var count: Int { state.withLock { $0.count } }

    /// Happens once: after the next statement was answered, before its answer arrives.
    func beforeNextAnswer(_ action: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.between.append(action) }
    }

    func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows {
        let action = state.withLock { state in
            state.count += 1
            return state.between.isEmpty ? nil : state.between.removeFirst()
        }
        let rows = try await database.query(statement, parameters)
        do { try await action?() } catch {
            throw .refused(sqlState: "XX000", constraint: nil, detail: "the test's own action failed: \(error)")
        }
        return rows
    }
}

extension Listener.Event {
    /// As of a server that has just answered.
    static var confirmed: Listener.Event { .confirmed(until: .now.advanced(by: .seconds(60))) }
    /// As of one that has been silent for too long.
    static var lapsed: Listener.Event { .confirmed(until: .now) }
    static func told(_ payload: String) -> Listener.Event { .notification(channel: "seleid", payload: payload) }
}

/// What happens to a node's connection that must drop what was cached, and what was being read meanwhile.
let interruptions: [[Listener.Event]] = [
    [.disconnected, .connected, .confirmed], [.connected, .confirmed], [.disconnected],
]
