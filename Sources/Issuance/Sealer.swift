import JOSE
import OpenSSL

/// Seals bytes for ourselves: AES-256-GCM under a key derived for one purpose. A seal names its master key, so that the
/// master key can be rotated, and opens for no other purpose.
///
/// Layout: key id (4), nonce (12), ciphertext, tag (16); base64url in text form.
public struct Sealer: Sendable {
    public enum Nonces: Sendable {
        /// Two seals of the same bytes differ.
        case random
        /// Two seals of the same bytes are equal (the nonce is a keyed hash of them), and nothing else can be told from them.
        case synthetic
    }

    private struct Key: Sendable {
        let id: [UInt8]
        let cipher: AESGCM
        let nonceKey: [UInt8]
    }
    private let keys: [Key]
    private let purpose: [UInt8]
    private let nonces: Nonces

    public init(_ masterKeys: MasterKeys, purpose: String, nonces: Nonces = .random) {
        keys = masterKeys.keys.map { key in
            Key(
                id: key.id, cipher: AESGCM(key: key.derive("\(purpose) seal")), nonceKey: key.derive("\(purpose) nonce")
            )
        }
        self.purpose = Array(purpose.utf8)
        self.nonces = nonces
    }

    /// For private signing keys at rest.
    static func signingKeys(_ masterKeys: MasterKeys) -> Sealer { Sealer(masterKeys, purpose: "signing key") }

    /// Under the current key.
    public func seal(_ plaintext: [UInt8]) -> [UInt8] {
        let key = keys[0]
        let nonce =
            switch nonces {
            case .random: randomBytes(AESGCM.nonceCount)
            case .synthetic: Array(HMACSHA256.authenticate(plaintext, key: key.nonceKey).prefix(AESGCM.nonceCount))
            }
        return key.id + nonce + key.cipher.seal(plaintext, nonce: nonce, authenticating: purpose)
    }

    /// nil for anything that we did not seal for this purpose under a live key.
    public func open(_ sealed: [UInt8]) -> [UInt8]? {
        let nonceStart = MasterKeys.KeyID.count
        let start = nonceStart + AESGCM.nonceCount
        guard sealed.count >= start + AESGCM.tagCount else { return nil }
        guard let key = keys.first(where: { $0.id.elementsEqual(sealed[..<nonceStart]) }) else { return nil }
        return key.cipher.open(
            Array(sealed[start...]), nonce: Array(sealed[nonceStart..<start]), authenticating: purpose)
    }

    public func sealText(_ plaintext: [UInt8]) -> String { Base64URL.encode(seal(plaintext)) }

    public func openText(_ text: String) -> [UInt8]? { Base64URL.decode(text).flatMap(open) }
}
