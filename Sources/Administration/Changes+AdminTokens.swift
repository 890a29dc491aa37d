import Issuance
import JSON
import OpenID
import Storage

extension Changes {
    /// Makes a token for an admin.
    /// - Parameters:
    ///   - areas: nil: all that the role may.
    ///   - expiresAt: Unix seconds; nil: never.
    /// - Returns: the token, and its text, which is told once and not stored.
    public func addAdminToken(
        name: String, role: AdminRole, areas: [AdminArea]?, expiresAt: Int64?, secrets: AdminTokenSecrets
    ) async throws -> (token: AdminToken, text: String) {
        guard (1...100).contains(name.unicodeScalars.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw AdministrationError.invalid("name", "must be 1 to 100 characters without control characters") }
        if areas?.isEmpty == true { throw AdministrationError.invalid("areas", "must name at least one") }
        let secret = secrets.make()
        let token = try await AdminTokenStore(database: transaction).add(
            name: name, role: role, areas: areas, hash: secret.hash, createdBy: administrator.name,
            expiresAt: expiresAt)
        try await record(.adminTokenAdded, [.init("after", token.json)])
        return (token, secret.text)
    }

    public func revokeAdminToken(_ id: Int64) async throws {
        guard let token = try await AdminTokenStore(database: transaction).revoke(id) else {
            throw AdministrationError.notFound("there is no admin token \(id) that could be revoked")
        }
        try await record(.adminTokenRevoked, [.init("before", token.json)])
    }
}

extension AdminToken {
    /// As admins read it.
    public var json: JSON {
        .object([
            .init("id", .integer(id)), .init("name", .string(name)), .init("role", .string(role.rawValue)),
            .init("areas", areas.map { .array($0.map { .string($0.rawValue) }) } ?? .null),
            .init("created_at", .time(createdAt)), .init("created_by", .string(createdBy)),
            .init("expires_at", .time(expiresAt)), .init("last_used_at", .time(lastUsedAt)),
            .init("revoked_at", .time(revokedAt)),
        ])
    }
}
