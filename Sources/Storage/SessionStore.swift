import Postgres

/// A sign-in of a person in a browser, as the cookie stands for it.
public struct BrowserSession: Sendable {
    public let id: Int64
    /// What ID Tokens call the session.
    public let sid: String
    public let accountID: Int64
    public let subject: String
    /// How pages call the account.
    public let accountName: String
    /// What the person signs in with; tells two accounts of one name apart.
    public let username: String
    /// When the person last proved who they are; Unix seconds.
    public let authTime: Int64
    public let acr: String
    public let amr: [String]

    public init(
        id: Int64, sid: String, accountID: Int64, subject: String, accountName: String, username: String,
        authTime: Int64, acr: String, amr: [String]
    ) {
        self.id = id
        self.sid = sid
        self.accountID = accountID
        self.subject = subject
        self.accountName = accountName
        self.username = username
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
    }
}

public struct SessionStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let findStatement = Statement(
        "session_find",
        """
        SELECT s.id, s.sid, a.id, a.subject, COALESCE(a.claims ->> 'name', a.username), a.username,
            \(unixSeconds("s.auth_time")), s.acr, s.amr, c.scope
        FROM browser_sessions s JOIN accounts a ON a.id = s.account_id AND a.status = 'active'
        LEFT JOIN consents c ON c.account_id = a.id AND c.client_id = $2
        WHERE s.secret_hash = $1 AND s.ended_at IS NULL AND s.expires_at > now()
        """)

    /// The live session behind a cookie, and what its person has granted to the client (nil: nothing yet).
    public func find(
        secretHash: [UInt8], clientID: String
    ) async throws(DatabaseError) -> (session: BrowserSession, consentedScope: [String]?)? {
        guard let row = try await database.query(Self.findStatement, [.bytes(secretHash), .text(clientID)]).first else {
            return nil
        }
        let session = BrowserSession(
            id: row.int(0), sid: row.string(1), accountID: row.int(2), subject: row.string(3),
            accountName: row.string(4), username: row.string(5), authTime: row.int(6), acr: row.string(7),
            amr: row.strings(8))
        return (session, row.isNull(9) ? nil : row.strings(9))
    }

    // The account is locked before any session, as set_password() does it: whoever comes second sees the other's work.
    private static let signInStatement = Statement(
        "session_sign_in",
        """
        WITH account AS (
            SELECT id, subject FROM accounts WHERE id = $3 AND status = 'active' AND password_hash IS NOT DISTINCT FROM $9
            FOR SHARE),
        renewed AS (
            UPDATE browser_sessions SET secret_hash = $1, auth_time = to_timestamp($4::bigint), acr = $5, amr = $6,
                expires_at = now() + $7::bigint * interval '1 second'
            WHERE secret_hash = $8 AND account_id = (SELECT id FROM account) AND ended_at IS NULL AND expires_at > now()
            RETURNING id, sid),
        replaced AS (
            UPDATE browser_sessions SET ended_at = now(), end_reason = 'signed_out'
            WHERE secret_hash = $8 AND account_id <> (SELECT id FROM account) AND ended_at IS NULL),
        created AS (
            INSERT INTO browser_sessions (secret_hash, sid, account_id, auth_time, acr, amr, expires_at)
            SELECT $1, $2, id, to_timestamp($4::bigint), $5, $6, now() + $7::bigint * interval '1 second'
            FROM account WHERE NOT EXISTS (SELECT FROM renewed)
            RETURNING id, sid),
        signed_in AS (SELECT id, sid FROM renewed UNION ALL SELECT id, sid FROM created),
        recorded AS (
            \(AuditStore.insertion)
            SELECT 'sign_in.succeeded', 'person', a.subject, $10, a.subject, $11, $12,
                jsonb_build_object('acr', $5::text, 'session', s.id)
            FROM account a, signed_in s)
        SELECT id, sid FROM signed_in
        """)

    /// Stores a sign-in under a new secret, and records it.
    ///
    /// The browser's former secret is dead afterwards in any case: a session of the same person goes on under the new one, a
    /// session of someone else ends.
    /// - Parameters:
    ///   - newSID: the `sid` in case the session is new.
    ///   - authTime: Unix seconds.
    ///   - lifetime: seconds.
    ///   - clientID: the app for which the person signs in.
    /// - Returns: nil, with nothing changed, when the account is not active any more or has another password than `account`.
    public func signIn(
        secretHash: [UInt8], formerSecretHash: [UInt8]?, newSID: String, account: Account, authTime: Int64, acr: String,
        amr: [String], lifetime: Int64, clientID: String, origin: AuditEvent.Origin
    ) async throws(DatabaseError) -> BrowserSession? {
        let rows = try await database.queryOnRecord(
            Self.signInStatement,
            [
                .bytes(secretHash), .text(newSID), .int(account.id), .int(authTime), .text(acr), .texts(amr),
                .int(lifetime), .optional(formerSecretHash), .optional(account.passwordHash), .text(clientID),
                .optional(origin.address), .optional(origin.requestID),
            ])
        guard let row = rows.first else { return nil }
        return BrowserSession(
            id: row.int(0), sid: row.string(1), accountID: account.id, subject: account.subject,
            accountName: account.displayName, username: account.username, authTime: authTime, acr: acr, amr: amr)
    }

    private static let endStatement = Statement("session_end", "SELECT end_session($1, $2)")

    /// Ends a browser session and every grant made from it.
    /// - Returns: false if there was nothing to end.
    public func end(_ id: Int64, _ reason: EndReason) async throws(DatabaseError) -> Bool {
        try await database.query(Self.endStatement, [.int(id), .text(reason.rawValue)])[0].bool(0)
    }
}
