import OpenSSL

/// Argon2id password hashes in the PHC string format (`$argon2id$v=19$m=19456,t=2,p=1$salt$hash`), computed on a small
/// thread pool with a bounded queue, away from the event loops.
///
/// Passwords are hashed as their UTF-8 bytes, whatever these are (also NUL), without Unicode normalization.
public final class PasswordHasher: Sendable {
    /// The queue is full, or there is no memory for the work: answer 503 with `Retry-After`.
    public struct Busy: Error {
        public init() {}
    }

    /// OWASP's parameters: 19 MiB, 2 passes, 1 lane.
    public static let memoryKiB: UInt32 = 19_456
    public static let passes: UInt32 = 2
    public static let lanes: UInt32 = 1

    /// How many bytes a password has; others never verify, so whoever sets a password refuses them.
    public static let passwordCount = 1...1024

    private static let saltCount = 16
    private static let hashCount = 32

    /// Nobody's hash: no password is known that fits it.
    static let dummy = PHCString(
        memoryKiB: memoryKiB, passes: passes, lanes: lanes, salt: [UInt8](repeating: 0, count: saltCount),
        hash: [UInt8](repeating: 0, count: hashCount))

    let pool: ThreadPool

    /// - Parameters:
    ///   - threads: how many hashes run at once; memory is threads x 19 MiB while they run, and nothing afterwards.
    ///   - queueLimit: how many more may wait.
    public init(threads: Int = 2, queueLimit: Int = 32) {
        pool = ThreadPool(threads: threads, waiting: queueLimit)
    }

    deinit { pool.stop() }

    /// A new hash under a new random salt. The caller has checked the password against `passwordCount`.
    public nonisolated(nonsending) func hash(_ password: String) async throws(Busy) -> String {
        let password = Array(password.utf8)
        var result = Self.dummy
        result.salt = randomBytes(Self.saltCount)
        result.hash = try await compute(password, like: result)
        return result.text
    }

    /// Whether the password fits. Takes the same time when `encoded` is nil (nobody by that name): it hashes against a
    /// fixed dummy. Stored parameters above 64 MiB, 10 passes or 4 lanes are refused (false) before any work.
    public nonisolated(nonsending) func verify(_ password: String, against encoded: String?) async throws(Busy) -> Bool
    {
        let password = Array(password.utf8)
        guard Self.passwordCount.contains(password.count) else { return false }
        var stored = Self.dummy
        if let encoded {
            guard let parsed = PHCString(encoded) else { return false }
            stored = parsed
        }
        let hash = try await compute(password, like: stored)
        return constantTimeEqual(hash, stored.hash) && encoded != nil
    }

    private nonisolated(nonsending) func compute(_ password: [UInt8], like parameters: PHCString) async throws(Busy)
        -> [UInt8]
    {
        let hash: [UInt8]? = await withCheckedContinuation { continuation in
            let isTaken = pool.submit {
                let hash = Argon2id.hash(password, like: parameters)
                return { continuation.resume(returning: hash) }
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
        guard let hash else { throw Busy() }
        return hash
    }
}
