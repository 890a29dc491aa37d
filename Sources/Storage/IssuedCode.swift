import Postgres

/// An authorization code as it stands at this moment, by the database's clock: for explaining, not for redeeming. Times are
/// Unix seconds.
public struct IssuedCode: Sendable {
    public var clientID: String
    public var redirectURI: String
    public var codeChallenge: String?
    public var createdAt: Int64
    public var expiresAt: Int64
    public var isExpired: Bool
    public var spentAt: Int64?
    /// What it gave; nil: nothing (yet).
    public var grantID: Int64?
    /// nil while that grant has not been ended, and when it is not there any more.
    public var grantEndReason: String?
    /// nil when there is no such account any more.
    public var accountStatus: AccountStatus?
    /// Whether the browser session that it was given in has not been ended. Its expiry does not matter to a code.
    public var isSessionLive: Bool
    public var sessionEndReason: String?
    /// Whether the person has granted something to the client, as remembered now.
    public var hasConsent: Bool

    public init(
        clientID: String, redirectURI: String, codeChallenge: String?, createdAt: Int64, expiresAt: Int64,
        isExpired: Bool, spentAt: Int64? = nil, grantID: Int64? = nil, grantEndReason: String? = nil,
        accountStatus: AccountStatus? = .active, isSessionLive: Bool = true, sessionEndReason: String? = nil,
        hasConsent: Bool = true
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.isExpired = isExpired
        self.spentAt = spentAt
        self.grantID = grantID
        self.grantEndReason = grantEndReason
        self.accountStatus = accountStatus
        self.isSessionLive = isSessionLive
        self.sessionEndReason = sessionEndReason
        self.hasConsent = hasConsent
    }
}

extension AuthorizationCodeStore {
    // What `redeem_code` decides by, and nothing is locked or changed.
    private static let issuedStatement = Statement(
        "code_issued",
        """
        SELECT c.client_id, c.redirect_uri, c.code_challenge, \(unixSeconds("c.created_at")),
            \(unixSeconds("c.expires_at")), c.expires_at <= now(),
            \(unixSeconds("c.spent_at")), c.grant_id, g.end_reason, a.status,
            s.id IS NOT NULL AND s.ended_at IS NULL, s.end_reason, n.client_id IS NOT NULL
        FROM authorization_codes c
        LEFT JOIN grants g ON g.id = c.grant_id
        LEFT JOIN accounts a ON a.id = c.account_id
        LEFT JOIN browser_sessions s ON s.id = c.session_id
        LEFT JOIN consents n ON n.account_id = c.account_id AND n.client_id = c.client_id
        WHERE c.code_hash = $1
        """)

    /// Looks at a code without using it.
    public func issued(hash: [UInt8]) async throws(DatabaseError) -> IssuedCode? {
        guard let row = try await database.query(Self.issuedStatement, [.bytes(hash)]).first else { return nil }
        return IssuedCode(
            clientID: row.string(0), redirectURI: row.string(1), codeChallenge: row.optionalString(2),
            createdAt: row.int(3), expiresAt: row.int(4), isExpired: row.bool(5), spentAt: row.optionalInt(6),
            grantID: row.optionalInt(7), grantEndReason: row.optionalString(8),
            accountStatus: row.optionalString(9).flatMap(AccountStatus.init(rawValue:)), isSessionLive: row.bool(10),
            sessionEndReason: row.optionalString(11), hasConsent: row.bool(12))
    }
}
