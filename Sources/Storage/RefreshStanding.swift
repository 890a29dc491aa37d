import Postgres

/// A grant as a refresh would find it at this moment, by the database's clock: for explaining, not for refreshing. Times are
/// Unix seconds.
public struct RefreshStanding: Sendable {
    public var clientID: String
    public var scope: [String]
    /// Of the newest refresh token.
    public var generation: Int64
    public var rotatedAt: Int64?
    /// Whether the token that was asked about is the newest one's predecessor and may come once more.
    public var isRetry: Bool
    public var expiresAt: Int64
    public var idleExpiresAt: Int64
    /// Whether it is as old as it may get.
    public var isExpired: Bool
    /// Whether it was not refreshed in time.
    public var isIdle: Bool
    public var endedAt: Int64?
    public var endReason: String?

    public init(
        clientID: String, scope: [String], generation: Int64, rotatedAt: Int64? = nil, isRetry: Bool = false,
        expiresAt: Int64, idleExpiresAt: Int64, isExpired: Bool = false, isIdle: Bool = false, endedAt: Int64? = nil,
        endReason: String? = nil
    ) {
        self.clientID = clientID
        self.scope = scope
        self.generation = generation
        self.rotatedAt = rotatedAt
        self.isRetry = isRetry
        self.expiresAt = expiresAt
        self.idleExpiresAt = idleExpiresAt
        self.isExpired = isExpired
        self.isIdle = isIdle
        self.endedAt = endedAt
        self.endReason = endReason
    }
}

extension GrantStore {
    private static let refreshStandingStatement = Statement(
        "grant_refresh_standing",
        """
        SELECT client_id, scope, generation, \(unixSeconds("rotated_at")),
            COALESCE(\(isRetry(within: "$3")), false), \(unixSeconds("expires_at")),
            \(unixSeconds("idle_expires_at")), expires_at <= now(), idle_expires_at <= now(),
            \(unixSeconds("ended_at")), end_reason
        FROM grants WHERE id = $1
        """)

    /// Looks at a grant without refreshing it.
    /// - Parameters:
    ///   - generation: of the refresh token that is asked about.
    ///   - retryWindow: as for `rotate`.
    public func refreshStanding(
        grantID: Int64, generation: Int64, retryWindow: Int64
    ) async throws(DatabaseError) -> RefreshStanding? {
        let rows = try await database.query(
            Self.refreshStandingStatement, [.int(grantID), .int(generation), .int(retryWindow)])
        guard let row = rows.first else { return nil }
        return RefreshStanding(
            clientID: row.string(0), scope: row.strings(1), generation: row.int(2), rotatedAt: row.optionalInt(3),
            isRetry: row.bool(4), expiresAt: row.int(5), idleExpiresAt: row.int(6), isExpired: row.bool(7),
            isIdle: row.bool(8), endedAt: row.optionalInt(9), endReason: row.optionalString(10))
    }
}
