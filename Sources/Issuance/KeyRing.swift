import JOSE
import OpenSSL
import Postgres
import Storage
import Synchronization
import Telemetry

/// The seconds since 1970 by this machine's clock.
public typealias Now = @Sendable () -> Int64

/// The signing keys as this node knows them, for all its loops: kept in memory, so that the JWKS is served and tokens are
/// signed while the database is away.
public final class KeyRing: Sendable {
    /// A key and the times that decide its state.
    private struct Entry: Sendable {
        let stored: StoredSigningKey
        let publicKey: RSAPublicKey
        /// nil once it is gone: nothing is left to sign.
        let signer: JWSSigner?
    }

    private let entries = Mutex<[Entry]>([])
    /// Keys that have been logged as unusable: it stays so while this process runs, and is read again and again.
    private let reported = Mutex<Set<String>>([])
    private let sealer: Sealer
    private let now: Now

    public init(_ masterKeys: MasterKeys, now: @escaping Now) {
        sealer = .signingKeys(masterKeys)
        self.now = now
    }

    /// Reads all keys anew. One that cannot be used (sealed under a master key that is not here) is logged and passed over, so
    /// that it does not take the others with it.
    public func load(from store: SigningKeyStore) async throws(DatabaseError) {
        let now = now()
        var loaded: [Entry] = []
        for stored in try await store.all() {
            do {
                let publicKey = try RSAPublicKey(modulus: stored.modulus, exponent: stored.exponent)
                let isLive = stored.revokedAt == nil && stored.goneAt.map { $0 > now } ?? true
                let signer = isLive ? JWSSigner(key: try privateKey(of: stored), keyID: stored.keyID) : nil
                loaded.append(Entry(stored: stored, publicKey: publicKey, signer: signer))
            } catch {
                guard reported.withLock({ $0.insert(stored.keyID).inserted }) else { continue }
                Log.error(
                    "signing_key.unusable",
                    [.init("key_id", .string(stored.keyID)), .init("reason", .string("\(error)"))])
            }
        }
        entries.withLock { $0 = loaded }
    }

    private func privateKey(of stored: StoredSigningKey) throws(OpenSSLError) -> RSAPrivateKey {
        guard let bytes = sealer.open(stored.sealedPrivateKey) else {
            throw OpenSSLError(description: "it is sealed under a master key that is not here")
        }
        return try RSAPrivateKey(pkcs8: bytes)
    }

    /// The key that signs now; nil when none does.
    public func signer() -> JWSSigner? {
        let now = now()
        return entries.withLock { entries in
            entries.last { $0.stored.state(at: now) == .signing }?.signer
        }
    }

    /// What the JWKS shows now: published, signing and retired keys.
    public func published() -> [JWK] {
        let now = now()
        return entries.withLock { entries in
            entries.filter { $0.stored.state(at: now).isPublished }.map {
                JWK(keyID: $0.stored.keyID, algorithm: $0.stored.algorithm, key: $0.publicKey)
            }
        }
    }

    /// A key that may verify our own old tokens (id_token_hint): any but revoked ones, also long after it is gone. Looks
    /// in memory only, so inventing key ids costs nothing.
    func verificationKey(_ keyID: String?) -> RSAPublicKey? {
        guard let keyID else { return nil }
        return entries.withLock { entries in
            entries.first { $0.stored.keyID == keyID && $0.stored.revokedAt == nil }?.publicKey
        }
    }
}

/// Where a key stands in its life: published → signing → retired → gone; or revoked.
public enum SigningKeyState: String, Sendable {
    case published, signing, retired, gone, revoked
    var isPublished: Bool { self == .published || self == .signing || self == .retired }
}

extension StoredSigningKey {
    /// - Parameter now: Unix seconds.
    public func state(at now: Int64) -> SigningKeyState {
        if revokedAt != nil { return .revoked }
        if let goneAt, goneAt <= now { return .gone }
        if let retiredAt, retiredAt <= now { return .retired }
        return signsFrom <= now ? .signing : .published
    }
}
