import Postgres

/// How a revocation went (RFC 7009 §2.1, §2.2).
public enum RevocationOutcome: Sendable, Equatable {
    case ended
    /// Nothing was left to end, or there is no such grant (any more).
    case nothingToEnd
    /// It was issued to another client: nothing was touched.
    case otherClients
}

extension GrantStore {
    private static let revokeStatement = Statement(
        "grant_revoke",
        revocation("ended_at = now(), end_reason = 'revoked'", token: "refresh_token"))

    /// Ends a grant that its client gives back. The event is recorded by the same statement.
    public func revoke(
        grantID: Int64, clientID: String, origin: AuditEvent.Origin
    ) async throws(DatabaseError) -> RevocationOutcome {
        try await revoke(Self.revokeStatement, [.int(grantID), .text(clientID)], origin)
    }

    private static let revokeAccessTokensStatement = Statement(
        "grant_revoke_access_tokens",
        revocation("access_epoch = access_epoch + 1", token: "access_token", where: "AND access_epoch = $5::bigint"))

    /// Ends all access tokens issued so far for a grant that is of the client; its refresh token stays. The event is recorded by
    /// the same statement.
    /// - Parameter epoch: of the token that is revoked. One that is dead already ends nothing: it came a second time, and
    ///   those made since then are not meant.
    public func revokeAccessTokens(
        grantID: Int64, epoch: Int64, clientID: String, origin: AuditEvent.Origin
    ) async throws(DatabaseError) -> RevocationOutcome {
        try await revoke(Self.revokeAccessTokensStatement, [.int(grantID), .text(clientID)], origin, [.int(epoch)])
    }

    /// A grant's client never changes, so it may be looked at beside the change.
    private static func revocation(_ change: String, token: String, where condition: String = "") -> String {
        """
        WITH ended AS (
            UPDATE grants g SET \(change) WHERE g.id = $1 AND g.client_id = $2 AND \(isStanding) \(condition)
            RETURNING subject),
        recorded AS (
            \(AuditStore.insertion)
            SELECT 'token.revoked', 'client', $2, $2, subject, $3, $4,
                jsonb_build_object('grant', $1::bigint, 'token', '\(token)')
            FROM ended)
        SELECT EXISTS (SELECT FROM ended), EXISTS (SELECT FROM grants WHERE id = $1 AND client_id <> $2)
        """
    }

    private func revoke(
        _ statement: Statement, _ grant: [Parameter], _ origin: AuditEvent.Origin, _ more: [Parameter] = []
    ) async throws(DatabaseError) -> RevocationOutcome {
        let from: [Parameter] = [.optional(origin.address), .optional(origin.requestID)]
        let row = try await database.queryOnRecord(statement, grant + from + more)[0]
        if row.bool(0) { return .ended }
        return row.bool(1) ? .otherClients : .nothingToEnd
    }

    private static let endStatement = Statement(
        "grant_end",
        """
        UPDATE grants g SET ended_at = now(), end_reason = $2 WHERE g.id = $1 AND \(isStanding)
        """)

    /// Ends a grant, whosoever it is: its refresh token and all of its access tokens.
    /// - Returns: false if it was over already, or is none.
    public func end(_ id: Int64, _ reason: EndReason) async throws(DatabaseError) -> Bool {
        try await database.query(Self.endStatement, [.int(id), .text(reason.rawValue)]).affected == 1
    }
}
