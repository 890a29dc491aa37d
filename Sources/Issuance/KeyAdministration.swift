import JOSE
import OpenSSL
import Postgres
import Storage

/// Makes, rotates and revokes signing keys; nodes hear of each change by NOTIFY. Each is on record, with who did it.
public struct KeyAdministration: Sendable {
    /// How long a JWKS may be cached.
    public static let jwksMaxAge: Int64 = 300
    /// A new key is published this long before it signs: longer than any cache keeps the JWKS without it.
    public static let lead: Int64 = 900
    /// A retired key stays published until the last token it signed has expired (1 h), and a little longer.
    public static let overlap: Int64 = 3_600 + 300

    private let store: SigningKeyStore
    private let sealer: Sealer

    public init(store: SigningKeyStore, masterKeys: MasterKeys) {
        self.store = store
        sealer = .signingKeys(masterKeys)
    }

    /// - Parameter transaction: to see what it has changed.
    public func list(in transaction: Transaction? = nil) async throws -> [StoredSigningKey] {
        try await store.all(in: transaction)
    }

    /// Makes the first key, which signs at once, unless there is one.
    public func makeFirstIfNeeded(by actor: AuditEvent.Actor, from origin: AuditEvent.Origin = .none) async throws {
        let keys = try await store.all()
        guard !keys.contains(where: { $0.revokedAt == nil && $0.retiredAt == nil }) else { return }
        try await store.addFirst(try await makeKey(), by: actor, from: origin)
    }

    public enum RotationResult: Sendable {
        /// This key signs `lead` seconds from now.
        case published(keyID: String)
        /// This one waits to sign already; nothing was changed.
        case alreadyPending(keyID: String)
    }

    /// - Parameter transaction: whose end decides whether it was done; nil: one of its own.
    public func rotate(
        by actor: AuditEvent.Actor, from origin: AuditEvent.Origin = .none, in transaction: Transaction? = nil
    ) async throws -> RotationResult {
        let key = try await makeKey()
        let pending = try await store.rotate(
            to: key, lead: Self.lead, overlap: Self.overlap, by: actor, from: origin, in: transaction)
        if let pending { return .alreadyPending(keyID: pending) }
        return .published(keyID: key.keyID)
    }

    /// Takes a key out of use and out of the JWKS at once: tokens it signed no longer verify. If nothing else would sign, the
    /// waiting key does, or else a new one.
    /// - Parameter transaction: whose end decides whether it was done; nil: one of its own.
    /// - Returns: false if there is no such key or it is revoked already.
    public func revoke(
        _ keyID: String, by actor: AuditEvent.Actor, from origin: AuditEvent.Origin = .none,
        in transaction: Transaction? = nil
    ) async throws -> Bool {
        try await store.revoke(keyID, spare: try await makeKey(), by: actor, from: origin, in: transaction)
    }

    private func makeKey() async throws -> StoredSigningKey {
        // Its primes take a tenth of a second, or several: not on a loop that serves others meanwhile.
        let key = try await withTaskExecutorPreference(globalConcurrentExecutor) { try RSAPrivateKey.generate() }
        return StoredSigningKey(
            keyID: JWK.thumbprint(of: key.publicKey), algorithm: "RS256", sealedPrivateKey: sealer.seal(key.pkcs8()),
            modulus: key.publicKey.modulus, exponent: key.publicKey.exponent)
    }
}
