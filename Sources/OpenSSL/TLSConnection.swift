internal import COpenSSL

/// The server's side of one TLS connection on a non-blocking socket, which stays the caller's to close. One thread only.
///
/// Read until `.wantsRead`: bytes that are inside already do not make the socket readable again. `handshake`, `read` and
/// `write` may each want the other direction; the same call is then repeated when the socket is ready.
public final class TLSConnection {
    public enum Result: Equatable, Sendable {
        /// So many bytes were moved.
        case bytes(Int)
        case wantsRead, wantsWrite
        /// The peer has closed its side in order.
        case closed
        /// Also when the peer hung up without closing its side. Nothing but freeing makes sense then.
        case failed
    }

    private let connection: OpaquePointer
    private var hasFailed = false

    public init(context: TLSContext, descriptor: Int32) throws(OpenSSLError) {
        ERR_clear_error()
        guard let connection = SSL_new(context.pointer) else { throw OpenSSLError("no TLS connection") }
        self.connection = connection
        guard SSL_set_fd(connection, descriptor) == 1 else { throw OpenSSLError("no TLS connection") }
        SSL_set_accept_state(connection)
    }

    deinit { SSL_free(connection) }

    /// `.bytes(0)` when the handshake is done.
    public func handshake() -> Result {
        move { _ in SSL_do_handshake(connection) }
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Result {
        guard !buffer.isEmpty else { return .bytes(0) }
        return move { count in SSL_read_ex(connection, buffer.baseAddress, buffer.count, &count) }
    }

    /// May take fewer bytes than offered. After `.wantsRead` or `.wantsWrite` offer the same bytes again.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard !bytes.isEmpty else { return .bytes(0) }
        return move { count in SSL_write_ex(connection, bytes.baseAddress, bytes.count, &count) }
    }

    /// Sends close_notify as far as the socket takes it.
    public func shutdown() {
        // After a failure OpenSSL forbids it; before the end of the handshake there is nothing to close.
        guard !hasFailed, SSL_is_init_finished(connection) == 1 else { return }
        ERR_clear_error()
        SSL_shutdown(connection)
        ERR_clear_error()
    }

    /// Whether bytes have come in that `read` has not given yet.
    public var hasUnreadBytes: Bool { SSL_has_pending(connection) == 1 }

    /// `TLSv1.2` or `TLSv1.3`.
    public var protocolVersion: String { String(cString: SSL_get_version(connection)) }

    /// The client's certificate in DER, if it showed one (RFC 8705).
    public var peerCertificate: [UInt8]? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_X509(certificate, &bytes))
        guard count > 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    private func move(_ call: (inout Int) -> Int32) -> Result {
        guard !hasFailed else { return .failed }
        // SSL_get_error looks into the thread's error queue, so what another call left there would be taken for ours.
        ERR_clear_error()
        var count = 0
        let result = call(&count)
        if result == 1 { return .bytes(count) }
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        default:
            ERR_clear_error()
            hasFailed = true
            return .failed
        }
    }
}
