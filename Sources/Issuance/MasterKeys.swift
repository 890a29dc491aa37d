import JOSE
import OpenSSL

/// The master key: what all seals and keyed hashes are derived from. Several may be live: the first makes, all open, so
/// that it can be rotated without signing anyone out.
public struct MasterKeys: Sendable {
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// One master key, known by the first bytes of a value derived from it.
    struct Key: Sendable {
        let id: [UInt8]
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            id = HKDFSHA256.derive(secret: bytes, salt: [], info: "seleid key id", count: KeyID.count)
        }

        /// The key for one purpose; keys of different purposes say nothing about one another.
        func derive(_ purpose: String) -> [UInt8] {
            HKDFSHA256.derive(secret: bytes, salt: [], info: "seleid \(purpose)", count: 32)
        }
    }
    enum KeyID { static let count = 4 }

    /// Never empty; the first is the current one.
    let keys: [Key]
    private let clientSecretHash: KeyedHash

    /// One key a line: 43 base64url characters (32 bytes); `#` begins a comment. The first is the current one.
    public init(fileContents: String) throws(Problem) {
        var keys: [Key] = []
        for (index, line) in fileContents.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
            guard !text.isEmpty else { continue }
            guard let bytes = Base64URL.decode(text), bytes.count == 32 else {
                throw Problem(description: "line \(index + 1) is no master key: 43 base64url characters are needed")
            }
            keys.append(Key(bytes))
        }
        guard !keys.isEmpty else { throw Problem(description: "there is no master key in it") }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw Problem(description: "the same master key stands in it twice")
        }
        self.keys = keys
        clientSecretHash = KeyedHash(keys: keys, purpose: "client secret")
    }

    /// The contents of a new key file.
    public static func generateFile() -> String { Base64URL.encode(randomBytes(32)) + "\n" }

    // MARK: Client secrets

    /// A new client secret: 43 URL-safe characters, 256 random bits. URL-safe, so that clients which forget to form-encode
    /// Basic credentials work as well.
    public static func makeClientSecret() -> String { Base64URL.encode(randomBytes(32)) }

    /// The keyed hash of a client secret, to be stored; names its key.
    public func hash(secret: String) -> [UInt8] { clientSecretHash.hash(Array(secret.utf8)) }

    /// Whether the secret fits a stored hash, in constant time.
    public func verify(secret: String, against hash: [UInt8]) -> Bool {
        clientSecretHash.verify(Array(secret.utf8), against: hash)
    }
}

/// Keyed SHA-256 (HMAC) for one purpose; each hash has the id of its master key in front.
struct KeyedHash: Sendable {
    private let keys: [(id: [UInt8], key: [UInt8])]

    init(keys: [MasterKeys.Key], purpose: String) {
        self.keys = keys.map { ($0.id, $0.derive("\(purpose) hash")) }
    }

    /// Under the current key.
    func hash(_ bytes: [UInt8]) -> [UInt8] { keys[0].id + HMACSHA256.authenticate(bytes, key: keys[0].key) }

    /// Under the key of that id; nil when no live key has it.
    func hash(_ bytes: [UInt8], keyID: ArraySlice<UInt8>) -> [UInt8]? {
        guard let key = keys.first(where: { $0.id.elementsEqual(keyID) }) else { return nil }
        return key.id + HMACSHA256.authenticate(bytes, key: key.key)
    }

    func verify(_ bytes: [UInt8], against hash: [UInt8]) -> Bool {
        guard let expected = self.hash(bytes, keyID: hash.prefix(MasterKeys.KeyID.count)) else { return false }
        return constantTimeEqual(expected, hash)
    }
}
