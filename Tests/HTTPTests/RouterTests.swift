import Testing

@testable import HTTP

@Suite("Routing") struct RouterTests {
    struct Failed: Error {}

    private let router = Router(
        routes: [
            Route(.get, "/plain") { _ in .text(status: 200, "plain") },
            Route(.post, "/plain") { _ in .text(status: 201, "posted") },
            Route(.get, "/open", cors: .anyOrigin) { _ in .text(status: 200, "open") },
            Route(.post, "/open", cors: .anyOrigin) { _ in throw Failed() },
            Route(.post, "/fails") { _ in throw Failed() },
        ], notFound: { .text(status: 404, "no \($0.path)") },
        failure: { error, _ in .text(status: error is Failed ? 503 : 500, "failed") })

    private func respond(
        _ method: HTTP.Method, _ path: String, _ fields: [(name: String, value: String)] = []
    ) async -> Response {
        await router.respond(to: Request(method: method, path: path, headers: Headers(fields)))
    }

    @Test("a path and a method have one handler; HEAD goes where GET goes") func dispatch() async {
        #expect(await respond(.get, "/plain").status == 200)
        #expect(await respond(.head, "/plain").status == 200)
        #expect(await respond(.post, "/plain").status == 201)
        #expect(await respond(.get, "/plain/").status == 404)
        #expect(await respond(.get, "/Plain").status == 404)
        #expect(await respond(.get, "/%70lain").status == 404)
    }

    @Test("the answer for methods that are not there can be told; Allow is added to it") func toldMethodNotAllowed()
        async
    {
        let router = Router(
            routes: [Route(.get, "/plain") { _ in .text(status: 200, "plain") }],
            notFound: { _ in .text(status: 404, "no") }, methodNotAllowed: { .json(status: 405, Array($0.path.utf8)) },
            failure: { _, _ in .text(status: 500, "failed") })
        let response = await router.respond(to: Request(method: .put, path: "/plain"))
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET, HEAD")
        #expect(response.body == Array("/plain".utf8))
    }

    @Test("RFC 9110 §15.5.6: 405 names the methods there are") func methodNotAllowed() async {
        let plain = await respond(.put, "/plain")
        #expect(plain.status == 405)
        #expect(plain.headers.all("Allow") == ["GET, HEAD, POST"])
        #expect(plain.headers["Access-Control-Allow-Origin"] == nil)
        let open = await respond(.other("BREW"), "/open")
        #expect(open.status == 405)
        #expect(open.headers["Allow"] == "GET, HEAD, POST, OPTIONS")
        #expect(open.headers["Access-Control-Allow-Origin"] == "*")
        #expect(await respond(.head, "/fails").headers["Allow"] == "POST")
        #expect(await respond(.options, "/plain").status == 405)
    }

    @Test("what a handler throws goes to the failure answer") func failure() async {
        let response = await respond(.post, "/fails")
        #expect(response.status == 503)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test("CORS fields are on every answer of an open route, also on failures (Fetch)")
    func corsFields() async {
        for (method, status) in [(HTTP.Method.get, 200), (.head, 200), (.post, 503), (.delete, 405)] {
            let response = await respond(method, "/open", [("Origin", "https://spa.example")])
            #expect(response.status == status)
            #expect(response.headers.all("Access-Control-Allow-Origin") == ["*"])
            #expect(response.headers["Access-Control-Expose-Headers"] == "WWW-Authenticate")
            #expect(response.headers["Access-Control-Allow-Credentials"] == nil)
            #expect(response.headers["Vary"] == nil)
        }
        #expect(await respond(.get, "/plain").headers["Access-Control-Allow-Origin"] == nil)
        #expect(await respond(.get, "/nowhere").headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test("a preflight is answered without credentials") func preflight() async {
        let fields = [
            ("Origin", "https://spa.example"), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,dpop"),
        ]
        let response = await respond(.options, "/open", fields.map { (name: $0.0, value: $0.1) })
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(response.headers["Access-Control-Allow-Methods"] == "GET, HEAD, POST")
        #expect(response.headers["Access-Control-Allow-Headers"] == "authorization, content-type, dpop")
        #expect(response.headers["Access-Control-Max-Age"] == "7200")
        #expect(await respond(.options, "/plain", fields.map { (name: $0.0, value: $0.1) }).status == 405)
    }

    @Test("OPTIONS of an open route that is no preflight says what is allowed") func options() async {
        let response = await respond(.options, "/open")
        #expect(response.status == 204)
        #expect(response.headers["Allow"] == "GET, HEAD, POST, OPTIONS")
        #expect(response.headers["Access-Control-Allow-Methods"] == nil)
    }
}
