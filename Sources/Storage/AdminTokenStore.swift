import OpenID
import Postgres

/// A token of an admin, without its secret.
public struct AdminToken: Sendable, Equatable {
    public let id: Int64
    /// What it was named, for people.
    public let name: String
    public let role: AdminRole
    /// What it is narrowed to; nil: all that the role may.
    public let areas: [AdminArea]?
    /// Unix seconds, as all times here.
    public let createdAt: Int64
    public let createdBy: String
    public let expiresAt: Int64?
    /// To the minute; nil: never yet.
    public let lastUsedAt: Int64?
    public let revokedAt: Int64?

    public func mayRead(_ area: AdminArea) -> Bool { role.mayRead(area) && reaches(area) }
    public func mayChange(_ area: AdminArea) -> Bool { role.mayChange(area) && reaches(area) }
    private func reaches(_ area: AdminArea) -> Bool { areas?.contains(area) ?? true }
}

/// Tokens of admins. They are never cached: a revoked one is dead at the next request.
public struct AdminTokenStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let columns = """
        id, name, role, areas, \(unixSeconds("created_at")), created_by,
        \(unixSeconds("expires_at")), \(unixSeconds("last_used_at")),
        \(unixSeconds("revoked_at"))
        """

    private static func token(_ row: Row) throws -> AdminToken {
        guard let role = AdminRole(rawValue: row.string(2)) else {
            throw StoredDataError(description: "admin token \(row.int(0)) has an unknown role")
        }
        // An area that this release does not know is one that it cannot reach.
        let areas = row.isNull(3) ? nil : row.strings(3).compactMap(AdminArea.init(rawValue:))
        return AdminToken(
            id: row.int(0), name: row.string(1), role: role, areas: areas, createdAt: row.int(4),
            createdBy: row.string(5), expiresAt: row.optionalInt(6), lastUsedAt: row.optionalInt(7),
            revokedAt: row.optionalInt(8))
    }

    private static let findStatement = Statement(
        "admin_token_find",
        """
        WITH used AS (
            UPDATE admin_tokens SET last_used_at = now()
            WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
                AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute'))
        SELECT \(columns) FROM admin_tokens
        WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        """)

    /// The live token with that hash, which counts as used now.
    public func use(hash: [UInt8]) async throws -> AdminToken? {
        try await database.query(Self.findStatement, [.bytes(hash)]).first.map(Self.token)
    }

    private static let addStatement = Statement(
        "admin_token_add",
        """
        INSERT INTO admin_tokens (name, role, areas, hash, created_by, expires_at)
        VALUES ($1, $2, $3, $4, $5, to_timestamp($6::bigint)) RETURNING \(columns)
        """)

    /// - Parameter expiresAt: Unix seconds.
    public func add(
        name: String, role: AdminRole, areas: [AdminArea]?, hash: [UInt8], createdBy: String, expiresAt: Int64?
    ) async throws -> AdminToken {
        let rows = try await database.query(
            Self.addStatement,
            [
                .text(name), .text(role.rawValue), areas.map { .texts($0.map(\.rawValue)) } ?? .null, .bytes(hash),
                .text(createdBy), .optional(expiresAt),
            ])
        return try Self.token(rows[0])
    }

    private static let pageStatement = Statement(
        "admin_token_page", "SELECT \(columns) FROM admin_tokens WHERE id > $1 ORDER BY id LIMIT $2::bigint")

    /// A page of all tokens ever made behind that id, the oldest first.
    public func page(after id: Int64, limit: Int64) async throws -> [AdminToken] {
        try await database.query(Self.pageStatement, [.int(id), .int(limit)]).map(Self.token)
    }

    private static let revokeStatement = Statement(
        "admin_token_revoke",
        "UPDATE admin_tokens SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING \(columns)")

    /// - Returns: nil if there is no such token or it was revoked before.
    public func revoke(_ id: Int64) async throws -> AdminToken? {
        try await database.query(Self.revokeStatement, [.int(id)]).first.map(Self.token)
    }
}
