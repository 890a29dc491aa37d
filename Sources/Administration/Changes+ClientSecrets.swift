import JSON
import OpenID
import Storage

extension Changes {
    /// What a client may have at once, so that it can change over from one to the other.
    static let secretLimit = 2

    /// The client's secrets as they stand inside the transaction.
    public func secrets(of clientID: String) async throws -> [ClientSecretInfo] {
        try await ClientStore(database: transaction).secrets(of: clientID)
    }

    /// What happens when a client that has as many secrets as it may is given another.
    public enum WhenFull: Sendable { case endOldest, refuse }

    /// Gives a confidential client another secret. What has expired goes, so that at most two are left.
    /// - Parameters:
    ///   - hash: keyed (`MasterKeys.hash(secret:)`).
    ///   - expiresAt: Unix seconds; nil: never.
    /// - Throws: `conflict` for a public client, and when there are enough and that is to be refused.
    public func addSecret(
        _ hash: [UInt8], to clientID: String, expiresAt: Int64? = nil, whenFull: WhenFull = .endOldest
    ) async throws -> ClientSecretInfo {
        let former = try await secretsOfConfidentialClient(clientID)
        let live = former.filter { !$0.hasExpired }
        if whenFull == .refuse, live.count >= Self.secretLimit {
            throw AdministrationError.conflict(
                "client \(clientID) has \(Self.secretLimit) live secrets; delete one first")
        }
        let kept = live.suffix(Self.secretLimit - 1).map(\.id)
        for secret in former where !kept.contains(secret.id) { try await deleteSecret(secret.id, of: clientID) }
        return try await insertSecret(hash, clientID, expiresAt)
    }

    /// Ends all secrets of a confidential client and gives it this one.
    public func replaceSecrets(of clientID: String, with hash: [UInt8]) async throws {
        for secret in try await secretsOfConfidentialClient(clientID) {
            try await deleteSecret(secret.id, of: clientID)
        }
        _ = try await insertSecret(hash, clientID, nil)
    }

    /// Ends a secret. The last one, too: after a leak it may be better to have none.
    public func deleteSecret(_ id: Int64, of clientID: String) async throws {
        _ = try await client(clientID)
        guard let secret = try await ClientStore(database: transaction).deleteSecret(id, of: clientID) else {
            throw AdministrationError.notFound("client \(clientID) has no secret \(id)")
        }
        try await record(.secretDeleted, clientID: clientID, [.init("before", secret.json)])
    }

    private func secretsOfConfidentialClient(_ clientID: String) async throws -> [ClientSecretInfo] {
        guard try await client(clientID).metadata.isConfidential else {
            throw AdministrationError.conflict(
                "client \(clientID) is public (token_endpoint_auth_method none) and has no secret")
        }
        return try await secrets(of: clientID)
    }

    private func insertSecret(_ hash: [UInt8], _ clientID: String, _ expiresAt: Int64?) async throws -> ClientSecretInfo
    {
        let secret = try await ClientStore(database: transaction).addSecret(hash, to: clientID, expiresAt: expiresAt)
        try await record(.secretAdded, clientID: clientID, [.init("after", secret.json)])
        return secret
    }
}

extension ClientSecretInfo {
    /// As admins read it; of the secret itself nothing.
    public var json: JSON {
        .object([
            .init("id", .integer(id)), .init("created_at", .time(createdAt)), .init("expires_at", .time(expiresAt)),
            .init("last_used_at", .time(lastUsedAt)),
        ])
    }
}
