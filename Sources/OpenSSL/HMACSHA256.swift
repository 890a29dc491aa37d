internal import COpenSSL

/// RFC 2104 with SHA-256.
public enum HMACSHA256 {
    /// 32 bytes.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let context = EVP_MAC_CTX_dup(prepared)
        defer { EVP_MAC_CTX_free(context) }
        // An empty key needs an address all the same: a null one means "keep the key".
        var done = key.isEmpty ? EVP_MAC_init(context, [0], 0, nil) : EVP_MAC_init(context, key, key.count, nil)
        if done == 1 { done = EVP_MAC_update(context, message, message.count) }
        return [UInt8](unsafeUninitializedCapacity: 32) { tag, initialized in
            var count = 0
            if done == 1 { done = EVP_MAC_final(context, tag.baseAddress, &count, tag.count) }
            precondition(done == 1 && count == 32, "HMAC has no way to fail but lack of memory")
            initialized = count
        }
    }

    /// A context that has SHA-256 and a key to be replaced, since naming the digest makes OpenSSL fetch it anew. Safe to
    /// share: it is only ever copied from, which does not change it.
    nonisolated(unsafe) private static let prepared = Algorithms.need(seleid_hmac_sha256(), "HMAC with SHA-256")
}
