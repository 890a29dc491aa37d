import CPostgreSQL
import Glibc

/// Bytes that OpenSSL has decrypted and libpq has not taken yet.
///
/// libpq reads as much as its buffer has room for, half of the largest TLS record; the rest of the record then lies in
/// OpenSSL, where the loop cannot see it, until more comes on the socket. The server's own records are small enough, but
/// those of a proxy that ends TLS in front of it are not.
enum PendingTLS {
    private typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// From the library that libpq itself has loaded, so that this target needs no second one.
    private static let count: Function? = dlsym(nil, "SSL_pending").map { unsafeBitCast($0, to: Function.self) }

    static func exists(in handle: OpaquePointer) -> Bool {
        guard PQsslInUse(handle) == 1, let count, let connection = PQsslStruct(handle, "OpenSSL") else { return false }
        return count(connection) > 0
    }
}
