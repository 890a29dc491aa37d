internal import COpenSSL

/// Algorithm objects of the default provider, fetched once: a fetch by name costs OpenSSL 3.0 more than hashing a token.
///
/// They are never freed. The `static let`s are safe to share: OpenSSL documents fetched algorithms as immutable and
/// counts their references atomically.
enum Algorithms {
    nonisolated(unsafe) static let sha256 = need(EVP_MD_fetch(nil, "SHA256", nil), "SHA256")
    nonisolated(unsafe) static let aes256GCM = need(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")

    /// libcrypto without these is not an OpenSSL we can run on; there is nothing better than to stop, at first use.
    static func need(_ pointer: OpaquePointer?, _ what: String) -> OpaquePointer {
        guard let pointer else { fatalError(OpenSSLError("OpenSSL lacks \(what)").description) }
        return pointer
    }
}
