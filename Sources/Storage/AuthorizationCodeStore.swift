import OpenID
import Postgres

/// What an authorization code stands for.
public struct AuthorizationCode: Sendable {
    public var clientID: String
    public var redirectURI: String
    public var scope: [String]
    public var nonce: String?
    public var codeChallenge: String?
    public var session: BrowserSession
    /// Asked for at userinfo beside the scope (Core §5.5).
    public var userInfoClaims: [StandardClaim]
    /// Asked for in the ID Token.
    public var idTokenClaims: [StandardClaim]

    public init(
        clientID: String, redirectURI: String, scope: [String], nonce: String?, codeChallenge: String?,
        session: BrowserSession, userInfoClaims: [StandardClaim] = [], idTokenClaims: [StandardClaim] = []
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.nonce = nonce
        self.codeChallenge = codeChallenge
        self.session = session
        self.userInfoClaims = userInfoClaims
        self.idTokenClaims = idTokenClaims
    }
}

/// How a redemption went.
public enum Redemption: Sendable {
    /// The first use, by the right client with the right verifier: this is the new grant.
    case fresh(Grant)
    /// The code was used before; what it gave has been ended now.
    case replayed(grantID: Int64)
    /// Never issued to this client, expired, used before, or wrongly proven; the word is for the log.
    case refused(String)
}

public struct AuthorizationCodeStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let saveStatement = Statement(
        "code_save",
        """
        WITH saved AS (INSERT INTO authorization_codes (code_hash, client_id, account_id, session_id, sid, redirect_uri,
            scope, nonce, code_challenge, auth_time, acr, amr, expires_at, userinfo_claims, id_token_claims)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, to_timestamp($10::bigint), $11, $12,
            now() + $13::bigint * interval '1 second', $17, $18)
        ON CONFLICT (code_hash) DO UPDATE SET session_id = excluded.session_id, sid = excluded.sid,
            auth_time = excluded.auth_time, scope = excluded.scope, userinfo_claims = excluded.userinfo_claims,
            id_token_claims = excluded.id_token_claims
        WHERE authorization_codes.spent_at IS NULL
            AND authorization_codes.expires_at > now() + $13 * interval '0.5 second'
        RETURNING client_id, scope, acr, session_id, userinfo_claims, id_token_claims),
        recorded AS (
            \(AuditStore.insertion)
            SELECT 'authorization.granted', 'person', $14, client_id, $14, $15, $16,
                jsonb_strip_nulls(jsonb_build_object('scope', array_to_string(scope, ' '), 'acr', acr,
                    'session', session_id,
                    'userinfo_claims', array_to_string(userinfo_claims, ' '),
                    'id_token_claims', array_to_string(id_token_claims, ' ')))
            FROM saved)
        SELECT 1 FROM saved
        """)

    /// Stores a code, and records that it is given. The same one again lives no longer for it.
    /// - Parameter lifetime: seconds.
    /// - Returns: whether the code can be used: false when the same code exists and is spent, or past half of its life.
    public func save(
        _ code: AuthorizationCode, hash: [UInt8], lifetime: Int64, origin: AuditEvent.Origin
    ) async throws(DatabaseError) -> Bool {
        let session = code.session
        return try await !database.queryOnRecord(
            Self.saveStatement,
            [
                .bytes(hash), .text(code.clientID), .int(session.accountID), .int(session.id), .text(session.sid),
                .text(code.redirectURI), .texts(code.scope), .optional(code.nonce), .optional(code.codeChallenge),
                .int(session.authTime), .text(session.acr), .texts(session.amr), .int(lifetime), .text(session.subject),
                .optional(origin.address), .optional(origin.requestID), Self.optional(code.userInfoClaims),
                Self.optional(code.idTokenClaims),
            ]
        ).isEmpty
    }

    /// NULL when there are none, as in nearly all rows.
    private static func optional(_ claims: [StandardClaim]) -> Parameter {
        claims.isEmpty ? .null : .texts(claims.map(\.rawValue))
    }

    private static let redeemStatement = Statement(
        "code_redeem",
        """
        SELECT outcome, grant_id, account_id, subject, scope, \(unixSeconds("auth_time")), sid, acr, amr, nonce,
            access_epoch, id_token_claims, \(Grant.claimsColumn("r"))
        FROM redeem_code($1, $2, $3, $4, $5, $6, $7, $8, $9) r
        """)

    /// Spends a code and makes its grant, in one step (RFC 6749 §4.1.2, §4.1.3; RFC 7636 §4.6).
    /// - Parameters:
    ///   - codeChallenge: made from the verifier that was sent; nil if none was.
    ///   - redemption: random; the same one again, after an error that left the outcome open, gets the same answer.
    ///   - idleLifetime: seconds until the grant ends unused.
    ///   - lifetime: seconds until it ends in any case.
    public func redeem(
        hash: [UInt8], clientID: String, redirectURI: String?, codeChallenge: String?, redemption: [UInt8],
        idleLifetime: Int64, lifetime: Int64, origin: AuditEvent.Origin
    ) async throws -> Redemption {
        let row = try await database.queryOnRecord(
            Self.redeemStatement,
            [
                .bytes(hash), .text(clientID), .optional(redirectURI), .optional(codeChallenge), .bytes(redemption),
                .int(idleLifetime), .int(lifetime), .optional(origin.address), .optional(origin.requestID),
            ])[0]
        switch row.string(0) {
        case "fresh":
            return .fresh(
                Grant(
                    id: row.int(1), accountID: row.int(2), subject: row.string(3), scope: row.strings(4),
                    authTime: row.int(5), sid: row.string(6), acr: row.string(7), amr: row.strings(8), generation: 0,
                    accessEpoch: row.int(10), idTokenClaims: row.claimNames(11), claims: try row.personClaims(12),
                    nonce: row.optionalString(9)))
        case "replayed": return .replayed(grantID: row.int(1))
        case let reason: return .refused(reason)
        }
    }
}
