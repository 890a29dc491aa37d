internal import COpenSSL

/// An RSA key pair. Sendable: signing does not change it.
///
/// `@unchecked`: the `EVP_PKEY` and the prepared context are not written after `init`. OpenSSL locks what it caches inside
/// a key (blinding values) itself, and a signature works on a copy of the context.
public final class RSAPrivateKey: @unchecked Sendable {
    private let key: OpaquePointer
    /// Prepared for RS256: to name digest and padding for each signature would make OpenSSL look both up each time.
    private let signing: OpaquePointer
    private let signatureCount: Int
    public let publicKey: RSAPublicKey

    /// Makes a new key (about 0.1 to 0.5 s for 2048 bits).
    public static func generate(bits: Int = 2048) throws(OpenSSLError) -> RSAPrivateKey {
        guard RSAPublicKey.allowedBits.contains(bits) else {
            throw OpenSSLError(description: "an RSA key of \(bits) bits is not 2048 to 8192")
        }
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw OpenSSLError("no RSA key made") }
        return try RSAPrivateKey(adopting: key)
    }

    /// PKCS #8 DER, unencrypted.
    /// - Throws: also when the key is not RSA of 2048 to 8192 bits, when its parts do not belong together, or when
    ///   something follows it.
    public convenience init(pkcs8: [UInt8]) throws(OpenSSLError) {
        let key = pkcs8.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            guard let information = d2i_PKCS8_PRIV_KEY_INFO(nil, &next, buffer.count) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(information) }
            guard let start = buffer.baseAddress, let next, next - start == buffer.count else { return nil }
            return EVP_PKCS82PKEY(information)
        }
        guard let key else { throw OpenSSLError("no PKCS #8 key") }
        try self.init(adopting: key)
    }

    /// Takes over `key`, also when it throws.
    private init(adopting key: OpaquePointer) throws(OpenSSLError) {
        guard let signing = EVP_MD_CTX_new() else {
            EVP_PKEY_free(key)
            throw OpenSSLError("no context")
        }
        do throws(OpenSSLError) {
            guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else { throw OpenSSLError(description: "not an RSA key") }
            publicKey = try RSAPublicKey(of: key)
            guard EVP_DigestSignInit(signing, nil, Algorithms.sha256, nil, key) == 1 else {
                throw OpenSSLError("RSA key cannot sign")
            }
        } catch {
            EVP_MD_CTX_free(signing)
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
        self.signing = signing
        signatureCount = Int(EVP_PKEY_get_size(key))

        // Better to refuse a damaged key now than to issue tokens nobody can verify.
        let probe = Array("probe".utf8)
        guard let signature = signature(of: probe), publicKey.verifyRS256(signature, message: probe) else {
            throw OpenSSLError("RSA key is damaged")
        }
    }

    deinit {
        EVP_MD_CTX_free(signing)
        EVP_PKEY_free(key)
    }

    public func pkcs8() -> [UInt8] {
        guard let information = EVP_PKEY2PKCS8(key) else { fatalError(OpenSSLError("RSA key not encoded").description) }
        defer { PKCS8_PRIV_KEY_INFO_free(information) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PKCS8_PRIV_KEY_INFO(information, &bytes))
        guard count > 0, let bytes else { fatalError(OpenSSLError("RSA key not encoded").description) }
        defer { CRYPTO_clear_free(bytes, count, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RS256). About 0.44 ms at 2048 bits: take a heavy turn first.
    public func signRS256(_ message: [UInt8]) -> [UInt8] {
        guard let signature = signature(of: message) else {
            fatalError(OpenSSLError("a key that signed before signs no more").description)
        }
        return signature
    }

    private func signature(of message: [UInt8]) -> [UInt8]? {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard EVP_MD_CTX_copy_ex(context, signing) == 1 else { return nil }
        let signature = [UInt8](unsafeUninitializedCapacity: signatureCount) { buffer, initialized in
            var count = signatureCount
            let done = EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count)
            initialized = done == 1 ? count : 0
        }
        return signature.isEmpty ? nil : signature
    }
}
