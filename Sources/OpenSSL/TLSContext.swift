internal import COpenSSL
import Glibc

/// A server's TLS settings: TLS 1.2 and 1.3, one certificate chain with its key, client certificates asked for but
/// not demanded (any is taken; who looks at it decides). Immutable; a reload makes a new one.
///
/// `@unchecked`: the `SSL_CTX` is not changed after `init`; what OpenSSL itself keeps in it (ticket keys, counters) it locks.
public final class TLSContext: @unchecked Sendable {
    /// Whether a client is asked to show a certificate. A browser that has one installed asks its user which to show.
    public enum ClientCertificates: Sendable { case asked, notAsked }

    let pointer: OpaquePointer

    /// Reads PEM files: the certificate first in its file, then those that lead to the authority; a key without passphrase.
    ///
    /// Has the process ignore SIGPIPE if nobody decided about it, since libssl writes to sockets that may be closed.
    /// - Throws: naming the file and what is wrong with it (also when key and certificate differ).
    public init(
        certificateChainFile: String, privateKeyFile: String, clientCertificates: ClientCertificates = .asked
    ) throws(OpenSSLError) {
        try Self.checkReadable(certificateChainFile, "TLS certificate")
        try Self.checkReadable(privateKeyFile, "TLS private key")
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw OpenSSLError("no TLS") }
        pointer = context

        let sessions = Array("SeleID".utf8)
        guard seleid_SSL_CTX_set_protocols(context) == 1,
            SSL_CTX_set_session_id_context(context, sessions, UInt32(sessions.count)) == 1
        else { throw OpenSSLError("no TLS") }
        seleid_SSL_CTX_set_modes(context)
        seleid_SSL_CTX_select_http_1_1(context)
        if clientCertificates == .asked { seleid_SSL_CTX_ask_for_certificate(context) }

        guard SSL_CTX_use_certificate_chain_file(context, certificateChainFile) == 1 else {
            throw OpenSSLError("TLS certificate file \(certificateChainFile) is no usable PEM certificate chain")
        }
        guard let key = seleid_read_private_key(privateKeyFile) else {
            throw OpenSSLError("TLS private key file \(privateKeyFile) is no PEM private key without passphrase")
        }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
            throw OpenSSLError(
                "TLS private key file \(privateKeyFile) does not belong to the certificate in \(certificateChainFile)")
        }
        Self.ignoreBrokenPipes()
    }

    deinit { SSL_CTX_free(pointer) }

    private static func checkReadable(_ path: String, _ what: String) throws(OpenSSLError) {
        guard access(path, R_OK) != 0 else { return }
        throw OpenSSLError(description: "\(what) file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }

    private static func ignoreBrokenPipes() {
        var current = sigaction()
        guard sigaction(SIGPIPE, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else { return }
        signal(SIGPIPE, SIG_IGN)
    }
}
