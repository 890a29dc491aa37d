import JSON
import Postgres

public enum AccountStatus: String, Sendable { case active, disabled, closed }

/// A person.
public struct Account: Sendable {
    public var id: Int64
    /// `sub`: made once, never reassigned, unrelated to the username.
    public var subject: String
    public var username: String
    public var passwordHash: String?
    /// Standard claims (Core §5.1) as an object; absent ones are left out.
    public var claims: JSON
    public var status: AccountStatus
    /// Unix seconds.
    public let createdAt: Int64
    public let updatedAt: Int64

    /// How pages call the account.
    public var displayName: String { claims["name"]?.stringValue ?? username }
}

/// How an account is called by who asks for it.
public enum AccountName: Sendable {
    /// `sub`.
    case subject(String)
    /// In any spelling.
    case username(String)
}

public struct AccountStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    static let columns = """
        id, subject, username, password_hash, claims::text, status, \(unixSeconds("created_at")),
        \(unixSeconds("updated_at"))
        """

    static func account(_ row: Row) throws -> Account {
        guard let status = AccountStatus(rawValue: row.string(5)) else {
            throw StoredDataError(description: "account \(row.int(0)) has an unknown status")
        }
        do {
            return Account(
                id: row.int(0), subject: row.string(1), username: row.string(2), passwordHash: row.optionalString(3),
                claims: try row.json(4), status: status, createdAt: row.int(6),
                updatedAt: row.int(7))
        } catch {
            throw StoredDataError(description: "the claims of account \(row.int(0)) cannot be read: \(error)")
        }
    }

    private static let findStatement = Statement(
        "account_find", "SELECT \(columns) FROM accounts WHERE canonical_username = canonical_username($1)")

    /// By username in its canonical form (NFKC, lower case), which the database makes.
    public func find(username: String) async throws -> Account? {
        try await database.query(Self.findStatement, [.text(username)]).first.map(Self.account)
    }

    private static let canonicalStatement = Statement("account_canonical", "SELECT canonical_username($1)")

    /// The one spelling (NFKC, lower case) of all that name the same account, whether there is one or not.
    public func canonical(_ username: String) async throws(DatabaseError) -> String {
        try await database.query(Self.canonicalStatement, [.text(username)])[0].string(0)
    }

    private static let listStatement = Statement(
        "account_list", "SELECT \(columns) FROM accounts ORDER BY canonical_username")

    /// All accounts, by canonical username.
    public func list() async throws -> [Account] {
        try await database.query(Self.listStatement).map(Self.account)
    }

    private static let setPasswordStatement = Statement("account_set_password", "SELECT set_password($1, $2)")

    /// Sets the password and ends the account's browser sessions and grants.
    /// - Returns: false if there is no such account.
    public func setPassword(_ hash: String, username: String) async throws(DatabaseError) -> Bool {
        try await database.query(Self.setPasswordStatement, [.text(username), .text(hash)])[0].bool(0)
    }

    private static let endSessionsStatement = Statement(
        "account_end_sessions", "SELECT sessions, grants FROM end_account_sessions($1, $2)")

    /// Ends all browser sessions and grants of an account.
    /// - Returns: how many of each there were.
    public func endSessions(
        _ id: Int64, _ reason: EndReason
    ) async throws(DatabaseError) -> (sessions: Int64, grants: Int64) {
        let row = try await database.query(Self.endSessionsStatement, [.int(id), .text(reason.rawValue)])[0]
        return (row.int(0), row.int(1))
    }
}
