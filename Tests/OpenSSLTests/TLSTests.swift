import COpenSSL
import Foundation
import Testing

@testable import OpenSSL

@Suite("TLS") struct TLSTests {
    let directory: TemporaryDirectory
    let certificate: String
    let key: String
    let authority: String

    init() throws {
        let made = try LocalCertificates.make(names: ["localhost", "127.0.0.1", "::1"])
        directory = try TemporaryDirectory()
        certificate = try directory.write("certificate.pem", made.certificatePEM)
        key = try directory.write("key.pem", made.privateKeyPEM)
        authority = try directory.write("authority.pem", made.authorityCertificatePEM)
    }

    func context(_ clientCertificates: TLSContext.ClientCertificates = .asked) throws -> TLSContext {
        try TLSContext(
            certificateChainFile: certificate, privateKeyFile: key, clientCertificates: clientCertificates)
    }

    @Test("1.2 and 1.3 connect, and bytes move both ways", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func versions(version: Int32) throws {
        let pair = try TLSPair(context(), .init(authority: authority, minimum: version, maximum: version))
        #expect(pair.handshake())
        #expect(pair.server.protocolVersion == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
        #expect(pair.server.peerCertificate == nil)

        #expect(pair.serverRead().0 == .wantsRead)
        #expect(pair.clientWrite(Array("GET".utf8)) == 3)
        #expect(pair.serverRead(2) == (.bytes(2), Array("GE".utf8)))
        #expect(pair.server.hasUnreadBytes)
        #expect(pair.serverRead(2) == (.bytes(1), Array("T".utf8)))
        #expect(!pair.server.hasUnreadBytes)
        #expect(pair.serverWrite([]) == .bytes(0))
        #expect(pair.serverWrite(Array("200".utf8)) == .bytes(3))
        #expect(pair.clientRead() == Array("200".utf8))
    }

    @Test("1.0 and 1.1 are refused (RFC 8996)", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldVersions(version: Int32) throws {
        let pair = try TLSPair(context(), .init(authority: authority, minimum: version, maximum: version))
        #expect(!pair.handshake())
        #expect(pair.server.handshake() == .failed)
    }

    @Test(
        "1.2 takes ephemeral authenticated suites only (RFC 9325 §4.2)",
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-AES256-GCM-SHA384", true),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", true), ("ECDHE-ECDSA-AES128-SHA256", false),
            ("ECDHE-ECDSA-AES256-SHA", false), ("ECDHE-ECDSA-AES128-CCM", false), ("ECDHE-ECDSA-NULL-SHA", false),
        ])
    func suites(name: String, accepted: Bool) throws {
        let pair = try TLSPair(
            context(), .init(authority: authority, minimum: TLS1_2_VERSION, maximum: TLS1_2_VERSION, suites: name))
        #expect(pair.handshake() == accepted)
    }

    @Test(
        "the client's own check of authority and name passes", arguments: [("localhost", true), ("example.com", false)])
    func names(host: String, accepted: Bool) throws {
        let pair = try TLSPair(context(), .init(authority: authority, host: host))
        #expect(pair.handshake() == accepted)
    }

    @Test("another authority does not vouch for it") func otherAuthority() throws {
        let other = try directory.write(
            "other.pem", LocalCertificates.make(names: ["localhost"]).authorityCertificatePEM)
        #expect(try !TLSPair(context(), .init(authority: other)).handshake())
    }

    @Test(
        "ALPN chooses http/1.1 where it is offered, and does without where not",
        arguments: [
            ("\u{2}h2\u{8}http/1.1", "http/1.1"), ("\u{8}http/1.1", "http/1.1"), ("\u{2}h2", ""), ("", ""),
        ])
    func applicationProtocol(offered: String, chosen: String) throws {
        let pair = try TLSPair(context(), .init(authority: authority, protocols: Array(offered.utf8)))
        #expect(pair.handshake())
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(pair.client, &bytes, &count)
        #expect(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self) == chosen)
    }

    @Test(
        "any client certificate is taken and readable (RFC 8705)",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [TLSContext.ClientCertificates.asked, .notAsked])
    func clientCertificate(version: Int32, asked: TLSContext.ClientCertificates) throws {
        let own = try LocalCertificates.make(names: ["client.example"])
        let ownCertificate = try directory.write("own.pem", own.certificatePEM)
        let ownKey = try directory.write("own-key.pem", own.privateKeyPEM)
        let pair = try TLSPair(
            context(asked),
            .init(authority: authority, minimum: version, maximum: version, certificate: (ownCertificate, ownKey)))
        #expect(pair.handshake())
        let lines = own.certificatePEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let expected = asked == .asked ? Data(base64Encoded: lines).map(Array.init) : nil
        #expect(pair.server.peerCertificate == expected)
    }

    @Test("a session resumes by its ticket, with the client's certificate still known") func resumption() throws {
        let own = try LocalCertificates.make(names: ["client.example"])
        let files = try (
            directory.write("own.pem", own.certificatePEM), directory.write("own-key.pem", own.privateKeyPEM)
        )
        let context = try context()
        let first = try TLSPair(
            context, .init(authority: authority, minimum: TLS1_2_VERSION, maximum: TLS1_2_VERSION, certificate: files))
        #expect(first.handshake())
        let session = try #require(SSL_get1_session(first.client))
        defer { SSL_SESSION_free(session) }
        let second = try TLSPair(
            context,
            .init(
                authority: authority, minimum: TLS1_2_VERSION, maximum: TLS1_2_VERSION, certificate: files,
                session: session))
        #expect(second.handshake())
        #expect(SSL_session_reused(second.client) == 1)
        #expect(second.server.peerCertificate != nil)
        #expect(second.server.peerCertificate == first.server.peerCertificate)
    }

    @Test("renegotiation is refused") func renegotiation() throws {
        let pair = try TLSPair(
            context(), .init(authority: authority, minimum: TLS1_2_VERSION, maximum: TLS1_2_VERSION))
        #expect(pair.handshake())
        #expect(SSL_renegotiate(pair.client) == 1)
        #expect(SSL_do_handshake(pair.client) == -1)
        #expect(SSL_get_error(pair.client, -1) == SSL_ERROR_WANT_READ)
        #expect(pair.serverRead().0 == .wantsRead)
        ERR_clear_error()
        #expect(SSL_do_handshake(pair.client) == -1)
        #expect(ERR_GET_REASON(ERR_peek_error()) == SSL_R_NO_RENEGOTIATION)
        ERR_clear_error()
    }

    @Test("a large answer goes out in parts from wherever its bytes lie") func partialWrites() throws {
        let pair = try TLSPair(context(), .init(authority: authority))
        #expect(pair.handshake())
        let answer = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var sent = 0
        var waits = 0
        var received: [UInt8] = []
        while received.count < answer.count {
            sending: while sent < answer.count {
                // A fresh copy each time: its address differs from that of the write that did not go through.
                switch pair.serverWrite(Array(answer[sent...])) {
                case .bytes(let count): sent += count
                case .wantsWrite:
                    waits += 1
                    break sending
                case let other:
                    Issue.record("\(other)")
                    return
                }
            }
            received += pair.clientRead()
        }
        #expect(received == answer)
        #expect(waits > 0)
    }

    @Test("an orderly end is told from a hang-up") func endings() throws {
        let orderly = try TLSPair(context(), .init(authority: authority))
        #expect(orderly.handshake())
        SSL_shutdown(orderly.client)
        #expect(orderly.serverRead().0 == .closed)

        let abrupt = try TLSPair(context(), .init(authority: authority))
        #expect(abrupt.handshake())
        abrupt.hangUpClient()
        #expect(abrupt.serverRead().0 == .failed)
        #expect(abrupt.serverRead().0 == .failed)
        abrupt.server.shutdown()
    }

    @Test("our end is announced to the client") func shutdown() throws {
        let pair = try TLSPair(context(), .init(authority: authority))
        pair.server.shutdown()
        #expect(pair.handshake())
        pair.server.shutdown()
        #expect(pair.clientRead().isEmpty)
        #expect(SSL_get_shutdown(pair.client) & SSL_RECEIVED_SHUTDOWN != 0)
    }

    @Test("writing to a connection that is gone fails and does not end the process") func brokenPipe() throws {
        let pair = try TLSPair(context(), .init(authority: authority))
        #expect(pair.handshake())
        pair.hangUpClient()
        #expect(pair.serverWrite([1]) == .failed)
    }

    @Test("bytes that are no TLS fail") func notTLS() throws {
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &sockets) == 0)
        defer { for descriptor in sockets { close(descriptor) } }
        let connection = try TLSConnection(context: context(), descriptor: sockets[0])
        #expect(connection.handshake() == .wantsRead)
        #expect(Glibc.write(sockets[1], "GET / HTTP/1.1\r\n\r\n", 18) == 18)
        #expect(connection.handshake() == .failed)
    }

    @Test("a file that cannot be used is named, with what is wrong") func files() throws {
        let other = try directory.write("other.pem", LocalCertificates.make(names: ["localhost"]).privateKeyPEM)
        let garbage = try directory.write("garbage.pem", "garbage")
        let encrypted = "\(directory.path)/encrypted.pem"
        let made = try openssl(["pkcs8", "-topk8", "-in", key, "-passout", "pass:x", "-out", encrypted])
        #expect(made.status == 0)
        let missing = "\(directory.path)/missing.pem"

        func problem(_ certificate: String, _ key: String) -> String? {
            do throws(OpenSSLError) {
                _ = try TLSContext(certificateChainFile: certificate, privateKeyFile: key)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(problem(certificate, key) == nil)
        #expect(
            problem(missing, key) == "TLS certificate file \(missing) cannot be read: No such file or directory")
        #expect(
            problem(certificate, missing) == "TLS private key file \(missing) cannot be read: No such file or directory"
        )
        let noChain = "TLS certificate file \(garbage) is no usable PEM certificate chain"
        #expect(problem(garbage, key)?.hasPrefix(noChain) == true)
        for file in [garbage, encrypted] {
            let noKey = "TLS private key file \(file) is no PEM private key without passphrase"
            #expect(problem(certificate, file)?.hasPrefix(noKey) == true)
        }
        let differ = "TLS private key file \(other) does not belong to the certificate in \(certificate)"
        #expect(problem(certificate, other)?.hasPrefix(differ) == true)
    }
}

@Suite("Local certificates") struct LocalCertificateTests {
    @Test("openssl verify agrees, for each name") func verify() throws {
        let made = try LocalCertificates.make(names: ["localhost", "*.seleid.test", "127.0.0.1", "::1"])
        let directory = try TemporaryDirectory()
        let certificate = try directory.write("certificate.pem", made.certificatePEM)
        let authority = try directory.write("authority.pem", made.authorityCertificatePEM)
        func verifies(_ options: [String]) throws -> Bool {
            let common = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authority]
            return try openssl(common + options + [certificate]).status == 0
        }
        #expect(try verifies([]))
        #expect(try verifies(["-verify_hostname", "localhost"]))
        #expect(try verifies(["-verify_hostname", "a.seleid.test"]))
        #expect(try !verifies(["-verify_hostname", "a.b.seleid.test"]))
        #expect(try !verifies(["-verify_hostname", "example.com"]))
        #expect(try verifies(["-verify_ip", "127.0.0.1"]))
        #expect(try verifies(["-verify_ip", "::1"]))
        #expect(try !verifies(["-verify_ip", "127.0.0.2"]))

        let text = try openssl(["x509", "-in", certificate, "-noout", "-text"]).output
        for part in [
            "Version: 3 (0x2)", "CA:FALSE", "TLS Web Server Authentication", "Digital Signature",
            "DNS:localhost, DNS:*.seleid.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
        ] { #expect(text.contains(part)) }
        #expect(try openssl(["x509", "-in", certificate, "-noout", "-checkend", "\(396 * 86_400)"]).status == 0)
        #expect(try openssl(["x509", "-in", certificate, "-noout", "-checkend", "\(398 * 86_400)"]).status == 1)
    }

    @Test(
        "a name that is none is refused",
        arguments: ["", "a b", "localhost,DNS:evil.example", "x/y", "é", String(repeating: "a", count: 254)])
    func badNames(name: String) {
        #expect(throws: OpenSSLError.self) { try LocalCertificates.make(names: [name]) }
    }

    @Test("a certificate needs a name and a span of days") func noNames() {
        #expect(throws: OpenSSLError.self) { try LocalCertificates.make(names: []) }
        #expect(throws: OpenSSLError.self) { try LocalCertificates.make(names: ["localhost"], days: 0) }
    }
}
