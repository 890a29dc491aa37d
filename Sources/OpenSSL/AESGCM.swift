internal import COpenSSL

/// AES-256-GCM under one key (NIST SP 800-38D). Sendable: one instance may be used by many threads.
///
/// Each call makes its own context: OpenSSL 3.0 cannot copy a prepared GCM one.
public struct AESGCM: Sendable {
    public static let nonceCount = 12
    public static let tagCount = 16

    private let key: [UInt8]

    /// - Precondition: `key` has 32 bytes.
    public init(key: [UInt8]) {
        precondition(key.count == 32, "AES-256 takes a key of 32 bytes")
        self.key = key
    }

    /// Ciphertext followed by the 16-byte tag.
    /// - Precondition: `nonce` has 12 bytes; it must never come twice under one key.
    public func seal(_ plaintext: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) -> [UInt8] {
        precondition(nonce.count == Self.nonceCount, "AES-GCM takes a nonce of 12 bytes")
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        return [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.tagCount) { output, initialized in
            var moved: Int32 = 0
            var done = EVP_EncryptInit_ex2(context, Algorithms.aes256GCM, key, nonce, nil)
            if done == 1, !data.isEmpty { done = EVP_EncryptUpdate(context, nil, &moved, data, Int32(data.count)) }
            if done == 1, !plaintext.isEmpty {
                done = EVP_EncryptUpdate(context, output.baseAddress, &moved, plaintext, Int32(plaintext.count))
            }
            let tag = output.baseAddress?.advanced(by: plaintext.count)
            // GCM is a stream: the end adds no ciphertext.
            if done == 1 { done = EVP_EncryptFinal_ex(context, tag, &moved) }
            if done == 1 {
                done = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), tag)
            }
            precondition(done == 1, "AES-GCM has no way to fail but lack of memory")
            initialized = plaintext.count + Self.tagCount
        }
    }

    /// nil when the tag does not fit. Never traps on any input.
    public func open(_ sealed: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
        guard nonce.count == Self.nonceCount, sealed.count >= Self.tagCount, sealed.count <= Int(Int32.max),
            data.count <= Int(Int32.max)
        else { return nil }
        let count = sealed.count - Self.tagCount
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = Array(sealed[count...])
        var fits = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            var moved: Int32 = 0
            var done = EVP_DecryptInit_ex2(context, Algorithms.aes256GCM, key, nonce, nil)
            if done == 1, !data.isEmpty { done = EVP_DecryptUpdate(context, nil, &moved, data, Int32(data.count)) }
            if done == 1, count > 0 {
                done = EVP_DecryptUpdate(context, output.baseAddress, &moved, sealed, Int32(count))
            }
            if done == 1 {
                done = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag)
            }
            var rest: UInt8 = 0
            fits = done == 1 && EVP_DecryptFinal_ex(context, &rest, &moved) == 1
            initialized = fits ? count : 0
        }
        guard fits else {
            ERR_clear_error()
            return nil
        }
        return plaintext
    }
}
