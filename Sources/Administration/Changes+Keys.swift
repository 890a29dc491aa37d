import Issuance
import JSON
import Storage

extension Changes {
    /// Publishes a new signing key, which signs when everybody can know it (`KeyAdministration.lead`).
    /// - Throws: `conflict` when one waits to sign already.
    public func rotateKey(_ keys: KeyAdministration) async throws -> StoredSigningKey {
        switch try await keys.rotate(by: administrator.actor, from: administrator.origin, in: transaction) {
        case .alreadyPending(let keyID):
            throw AdministrationError.conflict("key \(keyID) waits to sign already")
        case .published(let keyID):
            guard let key = try await keys.list(in: transaction).first(where: { $0.keyID == keyID }) else {
                throw AdministrationError.notFound("there is no key \(keyID)")
            }
            return key
        }
    }

    /// Takes a key out of the JWKS at once; what it signed no longer verifies.
    public func revokeKey(_ keyID: String, _ keys: KeyAdministration) async throws {
        guard try await keys.revoke(keyID, by: administrator.actor, from: administrator.origin, in: transaction) else {
            throw AdministrationError.notFound("there is no key \(keyID) that could be revoked")
        }
    }
}

extension StoredSigningKey {
    /// As admins read it; nothing of the private key.
    /// - Parameter now: Unix seconds; decides the state.
    public func json(at now: Int64) -> JSON {
        .object([
            .init("kid", .string(keyID)), .init("alg", .string(algorithm)),
            .init("state", .string(state(at: now).rawValue)), .init("published_at", .time(publishedAt)),
            .init("signs_from", .time(signsFrom)), .init("retired_at", .time(retiredAt)),
            .init("gone_at", .time(goneAt)), .init("revoked_at", .time(revokedAt)),
        ])
    }
}
