import JSON
import OpenSSL

/// A public RSA key as a JWK (RFC 7517): kty, use=sig, alg, kid, n, e.
public struct JWK: Sendable {
    public let keyID: String
    public let algorithm: String
    public let key: RSAPublicKey

    public init(keyID: String, algorithm: String = "RS256", key: RSAPublicKey) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.key = key
    }

    public var json: JSON {
        .object([
            JSON.Member("kty", .string("RSA")),
            JSON.Member("use", .string("sig")),
            JSON.Member("alg", .string(algorithm)),
            JSON.Member("kid", .string(keyID)),
            JSON.Member("n", .string(Base64URL.encode(key.modulus))),
            JSON.Member("e", .string(Base64URL.encode(key.exponent))),
        ])
    }

    /// The RFC 7638 thumbprint (SHA-256, base64url): what our key ids are.
    public static func thumbprint(of key: RSAPublicKey) -> String {
        // §3: the required members only, in lexicographic order, without white space.
        var members = JSONObjectWriter(capacity: 1200)
        members.add("e", Base64URL.encode(key.exponent))
        members.add("kty", "RSA")
        members.add("n", Base64URL.encode(key.modulus))
        return Base64URL.encode(SHA256.hash(members.finish()))
    }
}
