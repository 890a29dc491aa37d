import Postgres

/// What a person has granted to a client, as admins see it. Times are Unix seconds.
public struct ConsentRecord: Sendable {
    public let accountID: Int64
    public let subject: String
    public let clientID: String
    public let scope: [String]
    public let createdAt: Int64
    public let updatedAt: Int64
}

extension ConsentStore {
    private static let selection = """
        SELECT c.account_id, a.subject, c.client_id, c.scope, \(unixSeconds("c.created_at")),
            \(unixSeconds("c.updated_at"))
        FROM consents c JOIN accounts a ON a.id = c.account_id
        """

    private static let recordStatement = Statement(
        "consent_record", "\(selection) WHERE c.account_id = $1 AND c.client_id = $2")

    public func record(accountID: Int64, clientID: String) async throws(DatabaseError) -> ConsentRecord? {
        try await database.query(Self.recordStatement, [.int(accountID), .text(clientID)]).first.map(Self.record)
    }

    private static let pageOfAccountStatement = Statement(
        "consent_page_account",
        """
        \(selection) WHERE c.account_id = $1 AND c.client_id COLLATE "C" > $2 COLLATE "C"
        ORDER BY c.client_id COLLATE "C" LIMIT $3::bigint
        """)

    /// A page of what the account has granted, by client_id, behind that one.
    public func page(
        ofAccount accountID: Int64, after clientID: String, limit: Int64
    ) async throws(DatabaseError) -> [ConsentRecord] {
        try await database.query(
            Self.pageOfAccountStatement, [.int(accountID), .text(clientID), .int(limit)]
        ).map(Self.record)
    }

    private static let pageOfClientStatement = Statement(
        "consent_page_client",
        """
        \(selection) WHERE c.client_id = $1 AND c.account_id > $2 ORDER BY c.account_id LIMIT $3::bigint
        """)

    /// A page of what people have granted to the client, by the age of their accounts, behind that one.
    public func page(
        ofClient clientID: String, after accountID: Int64, limit: Int64
    ) async throws(DatabaseError) -> [ConsentRecord] {
        try await database.query(
            Self.pageOfClientStatement, [.text(clientID), .int(accountID), .int(limit)]
        ).map(Self.record)
    }

    private static func record(_ row: Row) -> ConsentRecord {
        ConsentRecord(
            accountID: row.int(0), subject: row.string(1), clientID: row.string(2), scope: row.strings(3),
            createdAt: row.int(4), updatedAt: row.int(5))
    }
}
