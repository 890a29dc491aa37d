internal import COpenSSL
import Glibc

/// Bytes from the operating system's random generator (getentropy: a third of RAND_bytes' time);
/// traps if it fails.
public func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        while initialized < count {
            let part = min(count - initialized, 256)  // the most that getentropy gives
            guard let start = buffer.baseAddress, getentropy(start + initialized, part) == 0 else {
                fatalError("no random bytes: \(String(cString: strerror(errno)))")
            }
            initialized += part
        }
    }
}

/// Whether two byte strings are equal, in time that depends on their lengths only.
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return CRYPTO_memcmp(a, b, a.count) == 0
}
