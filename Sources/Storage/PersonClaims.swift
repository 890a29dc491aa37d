import JSON
import OpenID
import Postgres

/// A person's claims (Core §5.1) as statements bring them along.
enum PersonClaims {
    /// Of the account `a`: one object, with `updated_at` in seconds among its members.
    static let column = """
        (a.claims || jsonb_build_object('updated_at', \(unixSeconds("a.updated_at"))))::text
        """
}

extension Grant {
    /// The same for a row with a grant's columns, where a claim is wanted in the ID Token; else NULL. Within the statement
    /// that spends a code or a refresh token, so that nothing is left to ask when it is spent.
    static func claimsColumn(_ row: String) -> String {
        """
        CASE WHEN \(row).id_token_claims IS NOT NULL
            THEN (SELECT \(PersonClaims.column) FROM accounts a WHERE a.id = \(row).account_id) END
        """
    }
}

extension Row {
    /// nil for NULL.
    func personClaims(_ column: Int) throws(StoredDataError) -> JSON? {
        guard let text = optionalString(column) else { return nil }
        guard let claims = try? JSON(parsing: text.utf8), claims.objectValue != nil else {
            throw StoredDataError(description: "the claims of an account cannot be read")
        }
        return claims
    }

    /// Those that this release knows; NULL is none.
    func claimNames(_ column: Int) -> [StandardClaim] {
        isNull(column) ? [] : strings(column).compactMap(StandardClaim.init(rawValue:))
    }
}
