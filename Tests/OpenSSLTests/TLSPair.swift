import COpenSSL
import Foundation
import Testing

@testable import OpenSSL

/// A server connection and a client of libssl, on both ends of one socket pair, moved in turn on one thread.
final class TLSPair {
    struct Options {
        var authority: String
        var host = "localhost"
        var minimum = TLS1_2_VERSION
        var maximum = TLS1_3_VERSION
        /// Suites for TLS 1.2.
        var suites: String?
        var protocols: [UInt8] = []
        var certificate: (certificate: String, key: String)?
        var session: OpaquePointer?
    }

    let server: TLSConnection
    let client: OpaquePointer
    private let context: OpaquePointer
    private let descriptors: [Int32]

    init(_ serverContext: TLSContext, _ options: Options) throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        descriptors = pair
        server = try TLSConnection(context: serverContext, descriptor: pair[0])

        context = try #require(SSL_CTX_new(TLS_client_method()))
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(options.minimum), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.maximum), nil)
        if let suites = options.suites { try #require(SSL_CTX_set_cipher_list(context, suites) == 1) }
        try #require(SSL_CTX_load_verify_file(context, options.authority) == 1)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let own = options.certificate {
            try #require(SSL_CTX_use_certificate_file(context, own.certificate, SSL_FILETYPE_PEM) == 1)
            try #require(SSL_CTX_use_PrivateKey_file(context, own.key, SSL_FILETYPE_PEM) == 1)
        }
        client = try #require(SSL_new(context))
        try #require(SSL_set1_host(client, options.host) == 1)
        if !options.protocols.isEmpty {
            SSL_set_alpn_protos(client, options.protocols, UInt32(options.protocols.count))
        }
        if let session = options.session { try #require(SSL_set_session(client, session) == 1) }
        try #require(SSL_set_fd(client, pair[1]) == 1)
        SSL_set_connect_state(client)
    }

    deinit {
        SSL_free(client)
        SSL_CTX_free(context)
        for descriptor in descriptors { close(descriptor) }
    }

    /// Whether both sides finish. Each round moves at least one of them, so it ends.
    func handshake() -> Bool {
        for _ in 0..<20 {
            ERR_clear_error()
            let clientResult = SSL_do_handshake(client)
            if clientResult != 1, SSL_get_error(client, clientResult) != SSL_ERROR_WANT_READ { return false }
            let serverResult = server.handshake()
            if serverResult == .failed || serverResult == .closed { return false }
            if clientResult == 1, serverResult == .bytes(0) { return true }
        }
        return false
    }

    func clientWrite(_ bytes: [UInt8]) -> Int32 { SSL_write(client, bytes, Int32(bytes.count)) }

    /// What the client has got, up to `limit` bytes; empty when there is nothing.
    func clientRead(_ limit: Int = 65_536) -> [UInt8] {
        ERR_clear_error()
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = SSL_read(client, &buffer, Int32(limit))
        return count > 0 ? Array(buffer.prefix(Int(count))) : []
    }

    func serverRead(_ limit: Int = 65_536) -> (TLSConnection.Result, [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: limit)
        let result = buffer.withUnsafeMutableBytes { server.read(into: $0) }
        guard case .bytes(let count) = result else { return (result, []) }
        return (result, Array(buffer.prefix(count)))
    }

    func serverWrite(_ bytes: [UInt8]) -> TLSConnection.Result {
        bytes.withUnsafeBytes { server.write($0) }
    }

    func hangUpClient() { Glibc.shutdown(descriptors[1], Int32(SHUT_RDWR)) }
}
