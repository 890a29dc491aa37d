import OpenID
import Postgres

/// Global states of the features that can be switched. Every change tells all nodes (a trigger notifies).
public struct SwitchStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let allStatement = Statement("switch_all", "SELECT name, state FROM switches")

    /// Rows of names and states that this release does not know are passed over: an older or newer one may know them.
    public func all() async throws(DatabaseError) -> SwitchStates {
        let rows = try await database.query(Self.allStatement)
        var states: [Switch: Switch.State] = [:]
        for row in rows {
            guard let feature = Switch(rawValue: row.string(0)) else { continue }
            states[feature] = Switch.State(rawValue: row.string(1))
        }
        return SwitchStates(states)
    }

    private static let lockStatement = Statement("switch_lock", "LOCK TABLE switches IN SHARE ROW EXCLUSIVE MODE")

    /// Nobody else changes a switch until the transaction is over. The whole table: a switch that has its default has no row
    /// that could be locked.
    public func lock() async throws(DatabaseError) { _ = try await database.query(Self.lockStatement) }

    private static let setStatement = Statement(
        "switch_set",
        """
        INSERT INTO switches (name, state) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET state = excluded.state, updated_at = now()
        """)

    public func set(_ feature: Switch, _ state: Switch.State) async throws(DatabaseError) {
        _ = try await database.query(Self.setStatement, [.text(feature.rawValue), .text(state.rawValue)])
    }
}
