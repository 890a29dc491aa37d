import JSON
import OpenID
import Postgres

/// A sign-in of a person at an app: the refresh-token family.
public struct Grant: Sendable {
    public let id: Int64
    public let accountID: Int64
    public let subject: String
    public let scope: [String]
    /// Unix seconds.
    public let authTime: Int64
    public let sid: String
    public let acr: String
    public let amr: [String]
    /// Of the newest refresh token.
    public let generation: Int64
    /// Access tokens made for the grant carry it; a raised one ends those made before.
    public let accessEpoch: Int64
    /// Claims about the person that were asked for in the ID Token (Core §5.5).
    public let idTokenClaims: [StandardClaim]
    /// The person's claims, `updated_at` among them; nil when none were asked for.
    public let claims: JSON?
    /// Of the authorization request; nil on refresh.
    public let nonce: String?
}

/// How a refresh went.
public enum Rotation: Sendable {
    /// The newest token was used: the grant has a new generation.
    case fresh(Grant)
    /// The token before the newest came once more inside the retry window: the same successor again.
    case retried(Grant)
    /// An older token came: the family has been ended now.
    case reused
    /// Ended, expired, or never this client's.
    case unknown
}

public struct GrantStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    /// The common case by itself, since it is asked for most: the newest token. Changes nothing when it is any other.
    private static let rotateNewestStatement = Statement(
        "grant_rotate_newest",
        """
        UPDATE grants g SET generation = generation + 1, rotated_at = now(), retries = 0, last_refresh = 'fresh',
            idle_expires_at = now() + $4::bigint * interval '1 second'
        WHERE \(isUsable) AND generation = $2::bigint
        RETURNING \(columns)
        """)

    // All cases at once. Every right-hand side sees the row as it was, locked and up to date, so that of parallel refreshes
    // one rotates. A window of 0 is strict, also when the winner of a race began after the loser (then rotated_at > now()).
    // What is remarkable is recorded by the same statement.
    private static let rotateStatement = Statement(
        "grant_rotate",
        """
        WITH rotated AS (UPDATE grants g SET
            generation = CASE WHEN generation = $2::bigint THEN generation + 1 ELSE generation END,
            rotated_at = CASE WHEN generation = $2 THEN now() ELSE rotated_at END,
            idle_expires_at = CASE WHEN generation = $2 THEN now() + $4::bigint * interval '1 second' ELSE idle_expires_at END,
            retries = CASE WHEN \(isRetry(within: "$5")) THEN retries + 1 WHEN generation = $2 THEN 0 ELSE retries END,
            last_refresh = CASE WHEN generation = $2 THEN 'fresh' WHEN \(isRetry(within: "$5")) THEN 'retried' ELSE 'reused' END,
            ended_at = CASE WHEN generation = $2 OR \(isRetry(within: "$5")) THEN NULL ELSE now() END,
            end_reason = CASE WHEN generation = $2 OR \(isRetry(within: "$5")) THEN NULL ELSE 'refresh_token_reused' END
        WHERE \(isUsable) AND generation >= $2
        RETURNING \(columns)),
        recorded AS (
            \(AuditStore.insertion)
            SELECT 'refresh.' || last_refresh, 'client', $3, $3, subject, $6, $7, jsonb_build_object('grant', $1::bigint)
            FROM rotated WHERE last_refresh <> 'fresh')
        SELECT * FROM rotated
        """)
    /// Of a row `g` of grants.
    static let isStanding = "g.ended_at IS NULL AND g.expires_at > now() AND g.idle_expires_at > now()"
    /// The grant `$1` of the client `$3`, while it stands.
    private static let isUsable = "g.id = $1 AND g.client_id = $3 AND \(isStanding)"
    private static let columns = """
        last_refresh, account_id, subject, scope, \(unixSeconds("auth_time")) AS auth_time, sid, acr, amr,
        generation, access_epoch, id_token_claims, \(Grant.claimsColumn("g"))
        """
    /// Whether generation `$2` is the newest one's predecessor and may come once more.
    /// - Parameter window: the parameter that holds the seconds.
    static func isRetry(within window: String) -> String {
        """
        (generation = $2::bigint + 1 AND \(window)::bigint > 0
            AND rotated_at > now() - \(window)::bigint * interval '1 second')
        """
    }

    /// Uses a refresh token. What happens to the family is decided by one statement.
    /// - Parameters:
    ///   - retryWindow: seconds in which the predecessor may come again; 0 = never.
    ///   - idleLifetime: seconds until the grant ends unused.
    public func rotate(
        grantID: Int64, generation: Int64, clientID: String, retryWindow: Int64, idleLifetime: Int64,
        origin: AuditEvent.Origin
    ) async throws -> Rotation {
        let parameters: [Parameter] = [.int(grantID), .int(generation), .text(clientID), .int(idleLifetime)]
        var rows = try await database.query(Self.rotateNewestStatement, parameters)
        if rows.isEmpty {
            let rest: [Parameter] = [.int(retryWindow), .optional(origin.address), .optional(origin.requestID)]
            rows = try await database.queryOnRecord(Self.rotateStatement, parameters + rest)
        }
        guard let row = rows.first else { return .unknown }
        let outcome = row.string(0)
        if outcome == "reused" { return .reused }
        let grant = Grant(
            id: grantID, accountID: row.int(1), subject: row.string(2), scope: row.strings(3), authTime: row.int(4),
            sid: row.string(5), acr: row.string(6), amr: row.strings(7), generation: row.int(8),
            accessEpoch: row.int(9), idTokenClaims: row.claimNames(10), claims: try row.personClaims(11), nonce: nil)
        return outcome == "fresh" ? .fresh(grant) : .retried(grant)
    }

    private static let scopeStatement = Statement(
        "grant_scope", "SELECT scope FROM grants WHERE id = $1 AND client_id = $2")

    /// What was granted; nil if there is no such grant of this client.
    public func scope(ofGrant grantID: Int64, clientID: String) async throws(DatabaseError) -> [String]? {
        try await database.query(Self.scopeStatement, [.int(grantID), .text(clientID)]).first?.strings(0)
    }
}
