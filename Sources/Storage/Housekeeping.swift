import Postgres

/// Deletes rows that nobody can ask for any more, and ends what disabled clients still have: small batches, one node at a
/// time (an advisory lock). And makes room for the events of the months to come.
public struct Housekeeping: Sendable {
    public let database: Database
    public init(database: Database) { self.database = database }

    private static let batch = 500
    private static let lock = 7_357_002

    /// A spent code stays a day, so that its reuse is still noticed; an ended family stays a week, so that an admin can
    /// see why it ended.
    private static let statements: [Statement] = [
        ("authorization_codes", "expires_at < now() - interval '1 day'"),
        ("grants", "expires_at < now() - interval '7 days'"),
        ("grants", "ended_at < now() - interval '7 days'"),
        ("browser_sessions", "expires_at < now() - interval '7 days'"),
        ("sign_in_failures", "last_failed_at < now() - interval '1 day'"),
    ].enumerated().map { index, rule in
        Statement(
            "housekeeping_\(index)",
            """
            DELETE FROM \(rule.0) WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM \(rule.0) WHERE \(rule.1) LIMIT \(batch)))
            AND pg_try_advisory_xact_lock(\(lock))
            """)
    }

    // What somebody else ends just now is not waited for.
    private static let endStatement = Statement(
        "housekeeping_end",
        """
        UPDATE grants SET ended_at = now(), end_reason = '\(EndReason.clientDisabled.rawValue)' WHERE id = ANY (ARRAY(
            SELECT g.id FROM clients c JOIN grants g USING (client_id) WHERE NOT c.enabled AND g.ended_at IS NULL
            LIMIT \(10 * batch) FOR UPDATE OF g SKIP LOCKED))
        AND pg_try_advisory_xact_lock(\(lock))
        """)

    private static let partitionsStatement = Statement("audit_prepare_partitions", "SELECT prepare_audit_partitions()")

    /// Makes the partitions of the record for this month and the next two, where they are missing and where that is in
    /// nobody's way just now. Events of a month without one go to the default partition.
    public func preparePartitions() async throws(DatabaseError) {
        _ = try await database.query(Self.partitionsStatement)
    }

    /// Deletes or ends at most one batch of each kind.
    /// - Returns: whether some kind filled its batch, so that more may be left.
    public func runOnce() async throws(DatabaseError) -> Bool {
        var isFull = false
        for statement in Self.statements + [Self.endStatement] {
            if try await database.query(statement).affected >= Self.batch { isFull = true }
        }
        return isFull
    }
}
