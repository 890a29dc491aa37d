import Postgres

/// Whether something still stands, by the database's clock.
public enum Standing: String, Sendable {
    case live
    /// Somebody or something ended it.
    case ended
    /// Its time is over.
    case expired
}

/// Which of the rows a list holds.
public enum StandingFilter: String, Sendable, CaseIterable { case live, all }

/// A browser session as admins see it. Times are Unix seconds.
public struct SessionRecord: Sendable {
    public let id: Int64
    public let sid: String
    public let subject: String
    public let authTime: Int64
    public let acr: String
    public let amr: [String]
    public let createdAt: Int64
    public let expiresAt: Int64
    public let endedAt: Int64?
    /// An `EndReason`, or what another release wrote.
    public let endReason: String?
    public let standing: Standing
    /// How many grants that were made from it are live.
    public let liveGrants: Int64
}

extension SessionStore {
    private static let isLive = "s.ended_at IS NULL AND s.expires_at > now()"
    private static let selection = """
        SELECT s.id, s.sid, a.subject, \(unixSeconds("s.auth_time")), s.acr, s.amr,
            \(unixSeconds("s.created_at")), \(unixSeconds("s.expires_at")),
            \(unixSeconds("s.ended_at")), s.end_reason,
            CASE WHEN s.ended_at IS NOT NULL THEN 'ended' WHEN \(isLive) THEN 'live' ELSE 'expired' END,
            (SELECT count(*) FROM grants g WHERE g.session_id = s.id AND \(GrantStore.isStanding))
        FROM browser_sessions s JOIN accounts a ON a.id = s.account_id
        """

    private static let recordStatement = Statement("session_record", "\(selection) WHERE s.sid = $1")

    /// By `sid`, live or not; nil when there is no such session (any more).
    public func record(sid: String) async throws -> SessionRecord? {
        try await database.query(Self.recordStatement, [.text(sid)]).first.map(Self.record)
    }

    private static let pageStatement = Statement(
        "session_page",
        """
        \(selection)
        WHERE s.account_id = $1 AND s.id < $2::bigint AND ($3::text = 'all' OR \(isLive))
        ORDER BY s.id DESC LIMIT $4::bigint
        """)

    /// A page of the account's sessions, the newest first.
    /// - Parameter before: the id of the last one of the page before; nil: from the newest.
    public func page(
        ofAccount accountID: Int64, before: Int64?, _ filter: StandingFilter, limit: Int64
    ) async throws -> [SessionRecord] {
        try await database.query(
            Self.pageStatement,
            [.int(accountID), .int(before ?? .max), .text(filter.rawValue), .int(limit)]
        ).map(Self.record)
    }

    private static func record(_ row: Row) throws -> SessionRecord {
        SessionRecord(
            id: row.int(0), sid: row.string(1), subject: row.string(2), authTime: row.int(3), acr: row.string(4),
            amr: row.strings(5), createdAt: row.int(6), expiresAt: row.int(7), endedAt: row.optionalInt(8),
            endReason: row.optionalString(9), standing: try Standing(stored: row.string(10)), liveGrants: row.int(11))
    }
}

extension Standing {
    init(stored text: String) throws {
        guard let standing = Standing(rawValue: text) else {
            throw StoredDataError(description: "nothing stands like \(text)")
        }
        self = standing
    }
}
