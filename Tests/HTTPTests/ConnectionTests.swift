import Foundation
import HTTP
import Testing

@Suite("Connections: keep-alive, pipelining, answers") struct ConnectionTests {
    @Test("answers keep the order of requests, however long each takes") func order() throws {
        let gate = Gate()
        let server = try TestServer(
            routes: TestServer.routes + [
                Route(.get, "/slow") { _ in
                    await gate.pass()
                    return .text(status: 200, "slow")
                }
            ])
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /static HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(!client.waitForInput(milliseconds: 50))
        gate.open()
        #expect(try client.receive().text == "slow")
        #expect(try client.receive().text == "ok")
    }

    @Test("a client that pipelines without end is not read without end, and gets every answer afterwards")
    func boundedPipelining() throws {
        let gate = Gate()
        let server = try TestServer(
            routes: TestServer.routes + [
                Route(.get, "/slow") { _ in
                    await gate.pass()
                    return .text(status: 200, "slow")
                }
            ])
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        let request =
            "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n\(String(repeating: "x", count: 1000))"
        // 20 MB: more than the kernel's buffers of both sides hold.
        let (whole, rest) = client.sendUntilFull(request, limit: 20_000)
        #expect(whole < 20_000)
        gate.open()
        #expect(try client.receive().text == "slow")
        for _ in 0..<whole { #expect(try client.receive().body.count == 1000) }
        client.send(rest)
        #expect(try client.receive().body.count == 1000)
        #expect(try client.get("/static").status == 200)
    }

    @Test("a client that pipelines and does not read answers is not answered without end") func unreadAnswers() throws {
        let server = try TestServer()
        let client = try server.client()
        let (whole, _) = client.sendUntilFull("GET /big HTTP/1.1\r\nHost: h\r\n\r\n", limit: 1_000_000)
        #expect(whole < 1_000_000)
        #expect(try client.receive().body.count == 32 << 20)
        #expect(try client.receive().status == 200)
    }

    @Test("HEAD has GET's length and no body, and the connection goes on (RFC 9110 §9.3.2)") func head() throws {
        let client = try SharedServer.plain.client()
        for path in ["/static", "/big"] {
            let head = try client.exchange("HEAD \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(head.status == 200)
            #expect(head["Content-Length"] == (path == "/big" ? "\(32 << 20)" : "2"))
            #expect(try client.get("/static").text == "ok")
        }
        let notFound = try client.exchange("HEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(notFound.status == 404)
        #expect(notFound["Content-Length"] == "16")
        #expect(try client.get("/static").text == "ok")
    }

    @Test("204 and 304 end with their head (RFC 9112 §6.3)") func noBody() throws {
        let client = try SharedServer.plain.client()
        for (path, status) in [("/none", 204), ("/unchanged", 304)] {
            let answer = try client.get(path)
            #expect(answer.status == status)
            #expect(answer["Content-Length"] == nil && answer["Transfer-Encoding"] == nil)
        }
        #expect(try client.get("/static").text == "ok")
    }

    @Test("a field that would split the answer is withheld, and the client gets 500") func splitting() throws {
        let client = try SharedServer.plain.client()
        let answer = try client.get("/splits?a=b")
        #expect(answer.status == 500)
        #expect(answer["Set-Cookie"] == nil && answer["Location"] == nil)
        #expect(try client.get("/static").text == "ok")
    }

    @Test("what a handler throws becomes the failure answer, with CORS fields where the route has them")
    func failures() throws {
        let client = try SharedServer.plain.client()
        let plain = try client.get("/throws")
        #expect(plain.status == 500 && plain.text == "failed")
        #expect(plain["Access-Control-Allow-Origin"] == nil)
        let open = try client.exchange("POST /open HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(open.status == 500 && open["Access-Control-Allow-Origin"] == "*")
    }

    @Test("a body that is refused is refused with the route's CORS fields") func refusedBody() throws {
        let client = try SharedServer.plain.client()
        let answer = try client.exchange("POST /open HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n")
        #expect(answer.status == 413)
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(answer["Connection"] == "close")
        #expect(try client.isClosedByServer())
    }

    @Test("every answer carries a date and the request's id") func fields() throws {
        let client = try SharedServer.plain.client()
        let own = try client.get("/static", fields: "X-Request-Id: Abc-1._\r\n")
        #expect(own.all("X-Request-Id") == ["Abc-1._"])
        let made = try client.get("/static", fields: "X-Request-Id: not ours\r\n")
        let id = try #require(made["X-Request-Id"])
        #expect(id.wholeMatch(of: /[0-9a-v]{13}/) != nil)
        let next = try client.get("/nowhere")
        #expect(next["X-Request-Id"] != id)
        let refused = try client.exchange("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(refused.status == 400 && refused["X-Request-Id"] != nil)

        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = try #require(refused["Date"].flatMap(format.date(from:)))
        #expect(abs(date.timeIntervalSinceNow) < 3)
    }

    @Test("a client that closes its side after its requests still gets its answers") func halfClose() throws {
        let client = try SharedServer.plain.client()
        client.send(String(repeating: "GET /static HTTP/1.1\r\nHost: h\r\n\r\n", count: 3))
        client.finishSending()
        for _ in 0..<3 { #expect(try client.receive().text == "ok") }
        #expect(try client.isClosedByServer())
    }

    @Test("half a request before the end of input is no request") func halfRequest() throws {
        for text in ["GET /static HTTP/1.1\r\nHo", "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab"] {
            let client = try SharedServer.plain.client()
            client.send(text)
            client.finishSending()
            #expect(try client.isClosedByServer())
        }
    }

    @Test("an answer reaches a client that goes on sending after it was refused") func lingeringClose() throws {
        let client = try SharedServer.plain.client()
        client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n")
        for _ in 0..<100 { client.send([UInt8](repeating: 0x61, count: 10_000)) }
        #expect(try client.receive().status == 413)
        #expect(try client.isClosedByServer())
    }

    @Test("beyond the limit of connections clients wait until another one ends") func connectionLimit() throws {
        let server = try TestServer { $0.connectionLimit = 2 }
        let first = try server.client()
        let second = try server.client()
        #expect(try first.get("/static").status == 200)
        #expect(try second.get("/static").status == 200)
        let third = try server.client()
        third.send("GET /static HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(!third.waitForInput(milliseconds: 100))
        first.close()
        #expect(try third.receive().status == 200)
        #expect(try second.get("/static").status == 200)
    }

    @Test("a client that is gone while its handler works leaves nothing behind") func goneClient() throws {
        let gate = Gate()
        let server = try TestServer(
            routes: [
                Route(.get, "/slow") { _ in
                    await gate.pass()
                    return .text(status: 200, "slow")
                }
            ])
        let client = try server.client()
        client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        while gate.arrived == 0 { _ = client.waitForInput(milliseconds: 5) }
        client.reset()
        #expect(try server.hasConnections(0))
        gate.open()
        #expect(try server.client().get("/nowhere").status == 404)
    }
}
