import Postgres

/// A grant as admins see it. Times are Unix seconds.
public struct GrantRecord: Sendable {
    public let id: Int64
    public let clientID: String
    public let subject: String
    public let sid: String
    public let scope: [String]
    public let authTime: Int64
    public let acr: String
    public let amr: [String]
    public let createdAt: Int64
    /// When it ends whatever happens.
    public let expiresAt: Int64
    /// When it ends if nothing is refreshed before.
    public let idleExpiresAt: Int64
    /// nil: never yet.
    public let refreshedAt: Int64?
    public let endedAt: Int64?
    /// An `EndReason`, or what another release wrote.
    public let endReason: String?
    public let standing: Standing
    /// How often the newest refresh token was handed out once more.
    public let retries: Int64
}

/// Whose grants a list holds.
public enum GrantOwner: Sendable {
    case account(Int64)
    case client(String)
    case both(accountID: Int64, clientID: String)
}

extension GrantStore {
    private static let selection = """
        SELECT g.id, g.client_id, g.subject, g.sid, g.scope, \(unixSeconds("g.auth_time")), g.acr, g.amr,
            \(unixSeconds("g.created_at")), \(unixSeconds("g.expires_at")),
            \(unixSeconds("g.idle_expires_at")), \(unixSeconds("g.rotated_at")),
            \(unixSeconds("g.ended_at")), g.end_reason,
            CASE WHEN g.ended_at IS NOT NULL THEN 'ended' WHEN \(isStanding) THEN 'live' ELSE 'expired' END, g.retries
        FROM grants g
        """

    private static let recordStatement = Statement("grant_record", "\(selection) WHERE g.id = $1")

    /// Live or not; nil when there is no such grant (any more).
    public func record(_ id: Int64) async throws -> GrantRecord? {
        try await database.query(Self.recordStatement, [.int(id)]).first.map(Self.record)
    }

    // One statement for each question, so that each has the plan that fits it.
    private static let pageOfAccountStatement = pageStatement("account", "g.account_id = $4::bigint")
    private static let pageOfClientStatement = pageStatement("client", "g.client_id = $4")
    private static let pageOfBothStatement = pageStatement("both", "g.account_id = $4::bigint AND g.client_id = $5")

    private static func pageStatement(_ name: String, _ condition: String) -> Statement {
        Statement(
            "grant_page_\(name)",
            """
            \(selection)
            WHERE \(condition) AND g.id < $1::bigint AND ($2::text = 'all' OR \(isStanding))
            ORDER BY g.id DESC LIMIT $3::bigint
            """)
    }

    /// A page of the grants, the newest first.
    /// - Parameter before: the id of the last one of the page before; nil: from the newest.
    public func page(
        of owner: GrantOwner, before: Int64?, _ filter: StandingFilter, limit: Int64
    ) async throws -> [GrantRecord] {
        let page: [Parameter] = [.int(before ?? .max), .text(filter.rawValue), .int(limit)]
        let rows =
            switch owner {
            case .account(let accountID):
                try await database.query(Self.pageOfAccountStatement, page + [.int(accountID)])
            case .client(let clientID):
                try await database.query(Self.pageOfClientStatement, page + [.text(clientID)])
            case .both(let accountID, let clientID):
                try await database.query(Self.pageOfBothStatement, page + [.int(accountID), .text(clientID)])
            }
        return try rows.map(Self.record)
    }

    private static func record(_ row: Row) throws -> GrantRecord {
        GrantRecord(
            id: row.int(0), clientID: row.string(1), subject: row.string(2), sid: row.string(3), scope: row.strings(4),
            authTime: row.int(5), acr: row.string(6), amr: row.strings(7), createdAt: row.int(8), expiresAt: row.int(9),
            idleExpiresAt: row.int(10), refreshedAt: row.optionalInt(11), endedAt: row.optionalInt(12),
            endReason: row.optionalString(13), standing: try Standing(stored: row.string(14)), retries: row.int(15))
    }
}
