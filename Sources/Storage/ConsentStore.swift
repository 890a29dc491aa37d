import Postgres

/// What people have granted to apps, remembered per person, app and scope set.
public struct ConsentStore: Sendable {
    public let database: Database
    public init(database: Database) { self.database = database }

    private static let addStatement = Statement(
        "consent_add",
        """
        INSERT INTO consents (account_id, client_id, scope) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, client_id) DO UPDATE SET updated_at = now(),
            scope = ARRAY(SELECT DISTINCT unnest(consents.scope || excluded.scope) ORDER BY 1)
        """)

    /// Adds the scopes to what the person has granted to the app before.
    public func add(accountID: Int64, clientID: String, scope: [String]) async throws(DatabaseError) {
        _ = try await database.query(Self.addStatement, [.int(accountID), .text(clientID), .texts(scope)])
    }
}
