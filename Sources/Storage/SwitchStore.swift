import Postgres

/// Global states of the features that can be switched.
public struct SwitchStore: Sendable {
    public enum State: String, Sendable, CaseIterable { case off, perClient = "per_client", on }

    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let allStatement = Statement("switch_all", "SELECT name, state FROM switches")

    /// What has been set; whatever is absent has its default.
    public func all() async throws(DatabaseError) -> [String: State] {
        let rows = try await database.query(Self.allStatement)
        var states: [String: State] = [:]
        for index in 0..<rows.count { states[rows[index].string(0)] = State(rawValue: rows[index].string(1)) }
        return states
    }

    private static let setStatement = Statement(
        "switch_set",
        """
        INSERT INTO switches (name, state) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET state = excluded.state, updated_at = now()
        """)

    public func set(_ name: String, _ state: State) async throws(DatabaseError) {
        _ = try await database.query(Self.setStatement, [.text(name), .text(state.rawValue)])
    }
}
