import JOSE
import OpenSSL

/// Secrets that we hand out and find again by their hash: authorization codes and cookies.
///
/// In text form the id of the master key and 256 bits, 48 base64url characters; stored is the keyed SHA-256.
public struct LookupSecrets: Sendable {
    private let hashes: KeyedHash
    private let generator: [UInt8]
    private let keyID: [UInt8]

    public init(_ masterKeys: MasterKeys, purpose: String) {
        hashes = KeyedHash(keys: masterKeys.keys, purpose: purpose)
        generator = masterKeys.keys[0].derive("\(purpose) generator")
        keyID = masterKeys.keys[0].id
    }

    /// The secrets that are authorization codes.
    public static func authorizationCodes(_ masterKeys: MasterKeys) -> LookupSecrets {
        LookupSecrets(masterKeys, purpose: "authorization code")
    }

    /// A new random secret and the hash to store.
    public func make() -> (text: String, hash: [UInt8]) { pair(randomBytes(32)) }

    /// The secret that belongs to `seed`: the same for the same seed, and unguessable without the master key.
    public func make(from seed: [UInt8]) -> (text: String, hash: [UInt8]) {
        pair(HMACSHA256.authenticate(seed, key: generator))
    }

    /// The hash under which a secret that came from outside would be stored; nil if it cannot be one of ours.
    public func hash(_ text: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(text), bytes.count == MasterKeys.KeyID.count + 32 else { return nil }
        return hashes.hash(Array(bytes[MasterKeys.KeyID.count...]), keyID: bytes[..<MasterKeys.KeyID.count])
    }

    private func pair(_ secret: [UInt8]) -> (text: String, hash: [UInt8]) {
        (Base64URL.encode(keyID + secret), hashes.hash(secret))
    }
}
