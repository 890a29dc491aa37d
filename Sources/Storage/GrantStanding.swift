import JSON
import OpenID
import Postgres

/// How a grant stands at this moment, judged by the database's clock.
public struct GrantStanding: Sendable {
    public let grantID: Int64
    public let clientID: String
    public let accountID: Int64
    public let subject: String
    public let sid: String
    public let scope: [String]
    /// Unix seconds, as all times here.
    public let authTime: Int64
    public let acr: String
    public let amr: [String]
    /// Access tokens of an earlier epoch are dead.
    public let accessEpoch: Int64
    /// When the person must sign in anew, whatever happens.
    public let expiresAt: Int64
    /// When the grant ends if nothing is refreshed before.
    public let idleExpiresAt: Int64
    /// Why it is over; nil while it stands.
    public let end: End?
    /// Of the newest refresh token.
    public let generation: Int64
    /// When that was issued.
    public let refreshedAt: Int64
    /// Claims that were asked for at userinfo beside the scope (Core §5.5).
    public let userInfoClaims: [StandardClaim]
    /// The person's claims, where some of them are asked for; `updated_at` is among them.
    public let claims: JSON?

    /// The earlier of the two ends.
    public var endsAt: Int64 { min(expiresAt, idleExpiresAt) }

    public enum End: Sendable, Equatable {
        /// Somebody or something ended it.
        case ended(EndReason)
        /// It was not refreshed in time, or is as old as it may get.
        case windowPassed

        /// For logs.
        public var word: String {
            switch self {
            case .ended(let reason): reason.rawValue
            case .windowPassed: "window_passed"
            }
        }
    }
}

extension GrantStore {
    private static let standingColumns = """
        g.client_id, g.account_id, g.subject, g.sid, g.scope, \(unixSeconds("g.auth_time")), g.acr, g.amr,
        g.access_epoch, \(unixSeconds("g.expires_at")),
        \(unixSeconds("g.idle_expires_at")), g.ended_at IS NOT NULL, g.end_reason,
        g.expires_at <= now() OR g.idle_expires_at <= now(), g.userinfo_claims, g.generation,
        \(unixSeconds("COALESCE(g.rotated_at, g.created_at)"))
        """
    private static let standingStatement = Statement(
        "grant_standing", "SELECT \(standingColumns) FROM grants g WHERE g.id = $1")
    private static let standingWithClaimsStatement = Statement(
        "grant_standing_with_claims",
        """
        SELECT \(standingColumns), CASE WHEN $2 OR g.userinfo_claims IS NOT NULL
            THEN (SELECT \(PersonClaims.column) FROM accounts a WHERE a.id = g.account_id) END
        FROM grants g WHERE g.id = $1
        """)

    /// - Parameter scope: a scope whose claims are wanted too, with those that the grant has beside; nil: none are.
    /// - Returns: nil if there is no such grant (any more).
    public func standing(ofGrant id: Int64, withClaimsOf scope: [String]? = nil) async throws -> GrantStanding? {
        let rows: Rows
        if let scope {
            let parameters: [Parameter] = [.int(id), .bool(StandardScope.bringClaims(scope))]
            rows = try await database.query(Self.standingWithClaimsStatement, parameters)
        } else {
            rows = try await database.query(Self.standingStatement, [.int(id)])
        }
        guard let row = rows.first else { return nil }
        var end: GrantStanding.End?
        if row.bool(11) {
            // What another release may have written is no reason of ours; that it is over stays true.
            end = .ended(row.optionalString(12).flatMap(EndReason.init) ?? .revoked)
        } else if row.bool(13) {
            end = .windowPassed
        }
        return GrantStanding(
            grantID: id, clientID: row.string(0), accountID: row.int(1), subject: row.string(2), sid: row.string(3),
            scope: row.strings(4), authTime: row.int(5), acr: row.string(6), amr: row.strings(7),
            accessEpoch: row.int(8), expiresAt: row.int(9), idleExpiresAt: row.int(10), end: end,
            generation: row.int(15), refreshedAt: row.int(16), userInfoClaims: row.claimNames(14),
            claims: scope == nil ? nil : try row.personClaims(17))
    }
}
