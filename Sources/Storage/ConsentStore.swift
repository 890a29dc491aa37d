import Postgres

/// What people have granted to apps, remembered per person, app and scope set.
public struct ConsentStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let addStatement = Statement(
        "consent_add",
        """
        WITH recorded AS (
            \(AuditStore.insertion)
            VALUES ('consent.granted', 'person', $4, $2, $4, $5, $6,
                jsonb_build_object('scope', array_to_string($3::text[], ' '))))
        INSERT INTO consents (account_id, client_id, scope) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, client_id) DO UPDATE SET updated_at = now(),
            scope = ARRAY(SELECT DISTINCT unnest(consents.scope || excluded.scope) ORDER BY 1)
        """)

    /// Adds the scopes to what the session's person has granted to the app before, and records it.
    public func add(
        _ scope: [String], by session: BrowserSession, clientID: String, origin: AuditEvent.Origin
    ) async throws(DatabaseError) {
        _ = try await database.queryOnRecord(
            Self.addStatement,
            [
                .int(session.accountID), .text(clientID), .texts(scope), .text(session.subject),
                .optional(origin.address), .optional(origin.requestID),
            ])
    }

    private static let withdrawStatement = Statement("consent_withdraw", "SELECT withdraw_consent($1, $2)")

    /// Forgets what the person has granted to the app, and ends what came of it: codes and grants.
    /// - Returns: false if there was nothing.
    public func withdraw(accountID: Int64, clientID: String) async throws(DatabaseError) -> Bool {
        try await database.query(Self.withdrawStatement, [.int(accountID), .text(clientID)])[0].bool(0)
    }
}
