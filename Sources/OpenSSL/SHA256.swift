internal import COpenSSL

/// FIPS 180-4.
public enum SHA256 {
    /// 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, initialized in
            let done = EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, Algorithms.sha256, nil)
            precondition(done == 1, "SHA-256 has no way to fail but lack of memory")
            initialized = 32
        }
    }
}
