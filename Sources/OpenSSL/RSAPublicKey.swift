internal import COpenSSL

/// An RSA public key, for RS256.
///
/// `@unchecked`: the `EVP_PKEY` and the prepared context are not written after `init`; a verification works on a copy of
/// the context.
public final class RSAPublicKey: @unchecked Sendable {
    static let allowedBits = 2048...8192

    /// Big-endian, without leading zeros: JWK `n` and `e`.
    public let modulus: [UInt8]
    public let exponent: [UInt8]

    private let key: OpaquePointer
    private let verifying: OpaquePointer

    /// - Throws: when the numbers are no usable RSA key of 2048 to 8192 bits.
    ///   The exponent must be odd, 3 or more, and fit 64 bits: a larger one only makes verification slow.
    public convenience init(modulus: [UInt8], exponent: [UInt8]) throws(OpenSSLError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard Self.allowedBits.contains(bits) else {
            throw OpenSSLError(description: "an RSA modulus of \(bits) bits is not 2048 to 8192")
        }
        guard let last = modulus.last, last & 1 == 1 else {
            throw OpenSSLError(description: "an even RSA modulus")
        }
        guard exponent.count <= 8, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw OpenSSLError(description: "an RSA exponent that is even, 1 or over 64 bits")
        }
        let key = seleid_rsa_public_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count))
        guard let key else { throw OpenSSLError("no RSA key") }
        try self.init(adopting: key)
    }

    /// The public part of a key pair, which stays the caller's.
    convenience init(of pair: OpaquePointer) throws(OpenSSLError) {
        guard let modulus = Self.number(OSSL_PKEY_PARAM_RSA_N, of: pair),
            let exponent = Self.number(OSSL_PKEY_PARAM_RSA_E, of: pair)
        else { throw OpenSSLError("no RSA key") }
        try self.init(modulus: modulus, exponent: exponent)
    }

    /// Takes over `key`, also when it throws.
    private init(adopting key: OpaquePointer) throws(OpenSSLError) {
        guard let modulus = Self.number(OSSL_PKEY_PARAM_RSA_N, of: key),
            let exponent = Self.number(OSSL_PKEY_PARAM_RSA_E, of: key), let verifying = EVP_MD_CTX_new()
        else {
            EVP_PKEY_free(key)
            throw OpenSSLError("no RSA key")
        }
        guard EVP_DigestVerifyInit(verifying, nil, Algorithms.sha256, nil, key) == 1 else {
            EVP_MD_CTX_free(verifying)
            EVP_PKEY_free(key)
            throw OpenSSLError("RSA key cannot verify")
        }
        self.modulus = modulus
        self.exponent = exponent
        self.key = key
        self.verifying = verifying
    }

    deinit {
        EVP_MD_CTX_free(verifying)
        EVP_PKEY_free(key)
    }

    /// Whether the signature is RSASSA-PKCS1-v1_5 with SHA-256 of `message` under this key. Never traps on any input.
    public func verifyRS256(_ signature: [UInt8], message: [UInt8]) -> Bool {
        guard !signature.isEmpty, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let fits =
            EVP_MD_CTX_copy_ex(context, verifying) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !fits { ERR_clear_error() }
        return fits
    }

    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1 else { return nil }
        defer { BN_free(number) }
        let count = (Int(BN_num_bits(number)) + 7) / 8
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }
}
