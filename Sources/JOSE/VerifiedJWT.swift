import JSON
import OpenSSL

/// A compact JWS whose signature has been checked (RS256 only; `none` and all else never verify).
public struct VerifiedJWT: Sendable {
    /// Longer texts are refused unread, in bytes.
    public static let maximumCount = 16_384

    public let keyID: String?
    public let type: String?
    public let claims: JSON

    /// nil unless the text is a well-formed compact JWS, its `alg` is RS256, `crit` is absent, `key(kid)` knows the key
    /// and the signature is right. Says nothing about issuer, audience or expiry. Never traps on any input; refuses texts
    /// over 16 kB.
    ///
    /// Well-formed: three parts of strict base64url; header and payload are JSON objects without repeated members; `kid`
    /// and `typ` are strings where present. The payload is read only after the signature was found right.
    public init?(_ compact: String, key: (_ keyID: String?) -> RSAPublicKey?) {
        guard compact.utf8.count <= Self.maximumCount else { return nil }
        let text = Array(compact.utf8)
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }

        guard let headerBytes = Base64Code.url.decode(parts[0]), let header = try? JSON(parsing: headerBytes),
            case .object = header
        else { return nil }
        // RFC 7515 §4.1.1, §4.1.11: an extension we must understand is one we do not.
        guard header["alg"]?.stringValue == "RS256", header["crit"] == nil else { return nil }
        // RFC 7797: an unencoded payload is such an extension too, whether or not `crit` says so.
        guard header["b64"] == nil else { return nil }
        guard let keyID = Self.optionalString("kid", in: header), let type = Self.optionalString("typ", in: header)
        else { return nil }

        guard let key = key(keyID), let signature = Base64Code.url.decode(parts[2]),
            key.verifyRS256(signature, message: Array(text[..<(parts[2].startIndex - 1)]))
        else { return nil }

        guard let payload = Base64Code.url.decode(parts[1]), let claims = try? JSON(parsing: payload),
            case .object = claims
        else { return nil }
        self.keyID = keyID
        self.type = type
        self.claims = claims
    }

    /// Outer nil: the member is there but no string.
    private static func optionalString(_ name: String, in header: JSON) -> String?? {
        guard let member = header[name] else { return .some(nil) }
        guard case .string(let value) = member else { return nil }
        return .some(value)
    }
}
