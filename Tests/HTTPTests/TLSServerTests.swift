import Foundation
import Glibc
import HTTP
import OpenSSL
import Testing

@Suite("TLS on the connection") struct TLSServerTests {
    private static let routes =
        TestServer.routes + [
            Route(.get, "/certificate") { Response(status: 200, body: $0.clientCertificate ?? Array("none".utf8)) },
            Route(.get, "/certificate-count") {
                .text(status: 200, "\($0.clientCertificate?.reduce(0) { $0 &* 31 &+ Int($1) } ?? -1)")
            },
        ]

    private func get(_ path: String, close: Bool = true) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(close ? "Connection: close\r\n" : "")\r\n"
    }

    @Test("requests and answers go through, pipelined too, and the end is in order") func exchange() throws {
        let files = try CertificateFiles()
        let server = try TestServer(routes: Self.routes, tls: files.context())
        let client = try TLSClient(port: server.port, trusting: files)
        client.send(get("/static", close: false) + get("/client", close: false) + get("/static"))
        let (text, endsInOrder) = client.receiveAll()
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
        #expect(text.contains("127.0.0.1 true"))
        #expect(endsInOrder)
    }

    @Test("the client's certificate is in the request, if it shows one (RFC 8705)") func clientCertificate() throws {
        let files = try CertificateFiles()
        let own = try CertificateFiles()
        let server = try TestServer(routes: Self.routes, tls: files.context())
        let with = try TLSClient(port: server.port, trusting: files, identity: own)
        with.send(get("/certificate-count"))
        let expected = own.der.reduce(0) { $0 &* 31 &+ Int($1) }
        #expect(with.receiveAll().text.hasSuffix("\r\n\r\n\(expected)"))
        let without = try TLSClient(port: server.port, trusting: files)
        without.send(get("/certificate"))
        #expect(without.receiveAll().text.hasSuffix("\r\n\r\nnone"))
    }

    @Test("an answer larger than the socket holds arrives whole, with new keys asked for meanwhile")
    func largeAnswer() throws {
        let files = try CertificateFiles()
        let server = try TestServer(routes: Self.routes, tls: files.context())
        let client = try TLSClient(port: server.port, trusting: files)
        client.send(get("/big", close: false))
        #expect(client.transport.waitForInput(milliseconds: 5000))
        client.updateKeys()
        client.send(get("/static"))
        let (text, endsInOrder) = client.receiveAll()
        #expect(text.utf8.count(where: { $0 == UInt8(ascii: "a") }) > 32 << 20)
        #expect(text.hasSuffix("\r\n\r\nok"))
        #expect(endsInOrder)
    }

    @Test("a request in more bytes than one read takes is read to its end: bytes inside OpenSSL do not wake the loop")
    func pendingBytes() throws {
        let gate = Gate()
        let files = try CertificateFiles()
        let slow = Route(.get, "/slow") { _ in
            await gate.pass()
            return .text(status: 200, "slow")
        }
        let server = try TestServer(routes: Self.routes + [slow], tls: files.context())
        let client = try TLSClient(port: server.port, trusting: files)
        // While the first is at work the server stops reading; the rest waits inside OpenSSL and in the kernel.
        let body = String(repeating: "x", count: 60_000)
        let post = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n\(body)"
        client.send(get("/slow", close: false) + post + post + get("/static"))
        while gate.arrived == 0 { _ = client.transport.waitForInput(milliseconds: 5) }
        gate.open()
        let (text, endsInOrder) = client.receiveAll()
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 5)
        #expect(text.components(separatedBy: body).count == 3)
        #expect(endsInOrder)
    }

    @Test("plain bytes on the TLS port end in a close, not in a reset") func plainOnTLS() throws {
        let server = try TestServer(routes: Self.routes, tls: CertificateFiles().context())
        for text in [get("/static"), "\0\0\0", String(repeating: "x", count: 10_000)] {
            let client = try server.client()
            client.send(text)
            client.finishSending()
            #expect(client.readsToOrderlyEnd())
        }
        #expect(try server.hasConnections(0))
    }

    @Test("a handshake that does not come forth is cut at the head's deadline") func slowHandshake() throws {
        let server = try TestServer(routes: Self.routes, tls: CertificateFiles().context()) {
            $0.headTimeout = .milliseconds(200)
        }
        let silent = try server.client()
        #expect(try silent.isClosedByServer())
        let begun = try server.client()
        begun.send([0x16, 0x03, 0x01])
        #expect(try begun.isClosedByServer())
    }

    @Test("new connections get the new certificate, open ones go on") func reload() throws {
        let old = try CertificateFiles()
        let new = try CertificateFiles()
        let server = try TestServer(routes: Self.routes, tls: old.context())
        let open = try TLSClient(port: server.port, trusting: old)
        let http = server.server
        let context = try new.context()
        try server.onLoop { http.replaceTLS(context) }
        #expect(throws: TLSClient.Failed.self) { try TLSClient(port: server.port, trusting: old) }
        let next = try TLSClient(port: server.port, trusting: new)
        for client in [open, next] {
            client.send(get("/static"))
            #expect(client.receiveAll().text.hasSuffix("ok"))
        }
    }

    @Test("an idle TLS connection is told that the server drains") func drain() throws {
        let files = try CertificateFiles()
        let server = try TestServer(routes: Self.routes, tls: files.context())
        let client = try TLSClient(port: server.port, trusting: files)
        client.send(get("/static", close: false))
        let http = server.server
        #expect(client.transport.waitForInput(milliseconds: 5000))
        try server.onLoop { await http.drain(limit: .seconds(5)) }
        let (text, _) = client.receiveAll()
        #expect(text.hasSuffix("ok"))
    }
}
