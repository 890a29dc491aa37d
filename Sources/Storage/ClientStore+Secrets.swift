import Postgres

/// What an admin may know of a client's secret.
public struct ClientSecretInfo: Sendable {
    public let id: Int64
    /// Unix seconds.
    public let createdAt: Int64
    public let expiresAt: Int64?
    /// To the hour; nil: never yet.
    public let lastUsedAt: Int64?
    /// By the database's clock.
    public let hasExpired: Bool
}

/// Who adds or deletes a secret has locked the client.
extension ClientStore {
    private static let secretColumns = """
        id, \(unixSeconds("created_at")), \(unixSeconds("expires_at")),
        \(unixSeconds("last_used_at")), COALESCE(expires_at <= now(), false)
        """

    private static func info(_ row: Row) -> ClientSecretInfo {
        ClientSecretInfo(
            id: row.int(0), createdAt: row.int(1), expiresAt: row.optionalInt(2), lastUsedAt: row.optionalInt(3),
            hasExpired: row.bool(4))
    }

    private static let secretsStatement = Statement(
        "client_secrets_list", "SELECT \(secretColumns) FROM client_secrets WHERE client_id = $1 ORDER BY id")

    /// The oldest first.
    public func secrets(of clientID: String) async throws(DatabaseError) -> [ClientSecretInfo] {
        try await database.query(Self.secretsStatement, [.text(clientID)]).map(Self.info)
    }

    private static let addSecretStatement = Statement(
        "client_secret_add",
        """
        INSERT INTO client_secrets (client_id, hash, expires_at) VALUES ($1, $2, to_timestamp($3::bigint))
        RETURNING \(secretColumns)
        """)

    /// - Parameter expiresAt: Unix seconds; nil: never.
    public func addSecret(
        _ hash: [UInt8], to clientID: String, expiresAt: Int64?
    ) async throws(DatabaseError) -> ClientSecretInfo {
        let rows = try await database.query(
            Self.addSecretStatement, [.text(clientID), .bytes(hash), .optional(expiresAt)])
        return Self.info(rows[0])
    }

    private static let deleteSecretStatement = Statement(
        "client_secret_delete",
        "DELETE FROM client_secrets WHERE client_id = $1 AND id = $2 RETURNING \(secretColumns)")

    /// - Returns: nil if the client has no such secret.
    public func deleteSecret(_ id: Int64, of clientID: String) async throws(DatabaseError) -> ClientSecretInfo? {
        try await database.query(Self.deleteSecretStatement, [.text(clientID), .int(id)]).first.map(Self.info)
    }

    private static let noteUseStatement = Statement(
        "client_secret_note_use",
        """
        UPDATE client_secrets SET last_used_at = date_trunc('hour', now(), 'UTC')
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < date_trunc('hour', now(), 'UTC'))
        """)

    /// Notes that the secret is in use, to the hour. To be asked for only when `SecretUse` says that it is news.
    public func noteUse(ofSecret id: Int64) async throws(DatabaseError) {
        _ = try await database.query(Self.noteUseStatement, [.int(id)])
    }
}
