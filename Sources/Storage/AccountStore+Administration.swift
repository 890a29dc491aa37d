import JSON
import Postgres

/// What admins look for and change. Each change is a statement; `Changes` in Administration says which are made, under the
/// lock of `findAndLock`.
extension AccountStore {
    private static let bySubject = "subject = $1"
    private static let byUsername = "canonical_username = canonical_username($1)"

    private static let findBySubjectStatement = Statement(
        "account_find_by_subject", "SELECT \(columns) FROM accounts WHERE \(bySubject)")
    private static let lockBySubjectStatement = Statement(
        "account_lock_by_subject", "SELECT \(columns) FROM accounts WHERE \(bySubject) FOR NO KEY UPDATE")
    private static let lockByUsernameStatement = Statement(
        "account_lock_by_username", "SELECT \(columns) FROM accounts WHERE \(byUsername) FOR NO KEY UPDATE")

    public func find(_ name: AccountName) async throws -> Account? {
        switch name {
        case .subject(let subject):
            try await database.query(Self.findBySubjectStatement, [.text(subject)]).first.map(Self.account)
        case .username(let username): try await find(username: username)
        }
    }

    /// The same, and nobody else changes it or ends what it has until the transaction is over.
    public func findAndLock(_ name: AccountName) async throws -> Account? {
        switch name {
        case .subject(let subject):
            try await database.query(Self.lockBySubjectStatement, [.text(subject)]).first.map(Self.account)
        case .username(let username):
            try await database.query(Self.lockByUsernameStatement, [.text(username)]).first.map(Self.account)
        }
    }

    // Byte order, so that pages do not depend on the database's collation. Of what is looked for, no character is special.
    private static let pageStatement = Statement(
        "account_page",
        """
        SELECT \(columns) FROM accounts
        WHERE canonical_username COLLATE "C" > canonical_username($1) COLLATE "C"
            AND ($2 = '' OR strpos(canonical_username, (SELECT canonical_username($2))) > 0
                OR strpos(canonical_username(claims ->> 'name'), (SELECT canonical_username($2))) > 0
                OR strpos(canonical_username(claims ->> 'email'), (SELECT canonical_username($2))) > 0)
        ORDER BY canonical_username COLLATE "C" LIMIT $3::bigint
        """)

    /// A page of the accounts behind the one of that username, by username in its canonical form.
    /// - Parameter text: in their username, name or email, in any spelling; empty: all.
    public func page(after username: String, holding text: String, limit: Int64) async throws -> [Account] {
        try await database.query(Self.pageStatement, [.text(username), .text(text), .int(limit)]).map(Self.account)
    }

    private static let createStatement = Statement(
        "account_create",
        """
        INSERT INTO accounts (username, password_hash, claims, status) VALUES ($1, $2, $3::jsonb, $4)
        ON CONFLICT (canonical_username) DO NOTHING RETURNING \(columns)
        """)

    /// - Parameter passwordHash: nil: nobody can sign in until there is one.
    /// - Returns: nil when the username is taken.
    public func create(
        username: String, passwordHash: String?, claims: JSON, status: AccountStatus
    ) async throws -> Account? {
        try await database.query(
            Self.createStatement,
            [.text(username), .optional(passwordHash), .json(claims), .text(status.rawValue)]
        ).first.map(Self.account)
    }

    // A trigger ends what an account has that is not active any more. Nobody signs in to a closed one again.
    private static let changeStatement = Statement(
        "account_change",
        """
        UPDATE accounts SET username = $2, claims = $3::jsonb, status = $4, updated_at = now(),
            password_hash = CASE WHEN $4 = 'closed' THEN NULL ELSE password_hash END
        WHERE id = $1 AND (status <> 'closed' OR $4 = 'closed')
        RETURNING \(columns)
        """)

    /// Makes the account what is said. Closing it takes its password, and is final.
    /// - Returns: nil when there is no such account, or it is closed and would not stay so.
    /// - Throws: `UsernameTaken`, or what the database throws.
    public func change(
        _ id: Int64, username: String, claims: JSON, status: AccountStatus
    ) async throws -> Account? {
        do {
            return try await database.query(
                Self.changeStatement, [.int(id), .text(username), .json(claims), .text(status.rawValue)]
            ).first.map(Self.account)
        } catch DatabaseError.refused("23505", "accounts_canonical_username_key", _) {
            throw UsernameTaken()
        }
    }

    /// Another account has that username, in this or another spelling.
    public struct UsernameTaken: Error {}
}
