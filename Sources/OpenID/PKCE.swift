import ASCII
import JOSE
import OpenSSL

/// PKCE (RFC 7636), S256 only.
public enum PKCE {
    /// 43 base64url characters of a SHA-256.
    ///
    /// RFC 7636 §4.2 lets the grammar of a challenge run from 43 to 128 characters, but that is for `plain`, which is
    /// refused here: 32 bytes in unpadded base64url are always 43 characters, so any other length could never be met by
    /// a verifier.
    public static func isChallenge(_ text: String) -> Bool {
        text.utf8.count == 43 && text.utf8.allSatisfy(ASCII.isBase64URL)
    }

    /// 43 to 128 unreserved characters (§4.1).
    public static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isUnreserved)
    }

    /// BASE64URL(SHA256(ASCII(verifier))) (§4.2); nil when it is no verifier.
    public static func challenge(for verifier: String) -> String? {
        guard isVerifier(verifier) else { return nil }
        return Base64URL.encode(SHA256.hash(Array(verifier.utf8)))
    }
}
