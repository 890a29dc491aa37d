import COpenSSL
import Foundation
import Glibc
import OpenSSL

/// A blocking TLS client on a raw socket.
final class TLSClient {
    struct Failed: Error {}

    let transport: HTTPTestClient
    private let context: OpaquePointer
    private let connection: OpaquePointer

    /// - Parameter identity: shown to the server when it asks.
    init(port: UInt16, trusting files: CertificateFiles, identity: CertificateFiles? = nil) throws {
        transport = try HTTPTestClient(port: port)
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw Failed() }
        self.context = context
        guard let connection = Self.connect(context, transport.descriptor, files, identity) else {
            SSL_CTX_free(context)
            throw Failed()
        }
        self.connection = connection
    }

    private static func connect(
        _ context: OpaquePointer, _ descriptor: Int32, _ files: CertificateFiles, _ identity: CertificateFiles?
    ) -> OpaquePointer? {
        guard SSL_CTX_load_verify_file(context, files.authority) == 1 else { return nil }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let identity {
            guard SSL_CTX_use_certificate_file(context, identity.certificate, SSL_FILETYPE_PEM) == 1,
                SSL_CTX_use_PrivateKey_file(context, identity.key, SSL_FILETYPE_PEM) == 1
            else { return nil }
        }
        guard let connection = SSL_new(context) else { return nil }
        guard SSL_set_fd(connection, descriptor) == 1, SSL_connect(connection) == 1 else {
            SSL_free(connection)
            return nil
        }
        return connection
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
    }

    func send(_ text: String) { SSL_write(connection, text, Int32(text.utf8.count)) }

    /// Asks the other side for new keys, so that its next read has to write first.
    func updateKeys() { SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED) }

    /// All that comes until the server closes, in order or not.
    func receiveAll() -> (text: String, endsInOrder: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = SSL_read(connection, &buffer, Int32(buffer.count))
            guard count > 0 else {
                return (
                    String(decoding: bytes, as: UTF8.self), SSL_get_error(connection, count) == SSL_ERROR_ZERO_RETURN
                )
            }
            bytes += buffer[..<Int(count)]
        }
    }
}

/// A certificate of its own authority, in files that go with the value.
final class CertificateFiles {
    private let folder: URL
    let pem: LocalCertificates
    var authority: String { folder.appending(path: "ca.pem").path }
    var certificate: String { folder.appending(path: "certificate.pem").path }
    var key: String { folder.appending(path: "key.pem").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "seleid-http-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pem = try LocalCertificates.make(names: ["localhost", "127.0.0.1"])
        try pem.authorityCertificatePEM.write(toFile: authority, atomically: true, encoding: .utf8)
        try pem.certificatePEM.write(toFile: certificate, atomically: true, encoding: .utf8)
        try pem.privateKeyPEM.write(toFile: key, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func context() throws -> TLSContext { try TLSContext(certificateChainFile: certificate, privateKeyFile: key) }

    /// DER of the certificate.
    var der: [UInt8] {
        let lines = pem.certificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return Data(base64Encoded: lines).map(Array.init) ?? []
    }
}
