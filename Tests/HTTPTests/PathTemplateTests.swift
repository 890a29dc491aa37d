import Testing

@testable import HTTP

@Suite("Paths with segments in braces") struct PathTemplateTests {
    private static func named(_ name: String) -> Route.Handler {
        { request in
            let parameters = request.pathParameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return .text(status: 200, ([name] + parameters).joined(separator: " "))
        }
    }

    private let router = Router(
        routes: [
            Route(.get, "/things", handler: named("list")),
            Route(.get, "/things/{id}", handler: named("one")),
            Route(.delete, "/things/{id}", handler: named("delete")),
            Route(.get, "/things/new", handler: named("new")),
            Route(.get, "/things/{id}/parts/{part}", handler: named("part")),
            Route(.get, "/things/{id}/{what}", handler: named("what")),
            Route(.get, "/things/{id}/owner", handler: named("owner")),
            Route(.get, "/open/{id}", cors: .anyOrigin, handler: named("open")),
        ], notFound: { .text(status: 404, "no \($0.path)") }, failure: { _, _ in .text(status: 500, "failed") })

    private func answer(_ method: HTTP.Method = .get, _ path: String) async -> Response {
        await router.respond(to: Request(method: method, path: path, headers: Headers([])))
    }

    @Test(
        "a segment in braces takes one segment, and a path as it stands comes first",
        arguments: [
            ("/things", "list"), ("/things/7", "one id=7"), ("/things/new", "new"), ("/things/New", "one id=New"),
            ("/things/7/owner", "owner id=7"), ("/things/7/other", "what id=7 what=other"),
            ("/things/new/owner", "owner id=new"), ("/things/7/parts/8", "part id=7 part=8"),
            ("/things/{id}", "one id={id}"), ("/things/a.b~c-d_e", "one id=a.b~c-d_e"), ("/things/+", "one id=+"),
        ])
    func match(path: String, text: String) async {
        let response = await answer(.get, path)
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == text)
    }

    @Test(
        "what it takes is percent-decoded, once",
        arguments: [
            ("/things/%37", "7"), ("/things/a%2Fb", "a/b"), ("/things/a%2fb", "a/b"), ("/things/%2525", "%25"),
            ("/things/a%20b", "a b"), ("/things/%E2%82%AC", "€"), ("/things/a%3Fb%23c", "a?b#c"),
            ("/things/%2E%2E", ".."),
            ("/things/ne%77", "new"),
        ])
    func decoding(path: String, value: String) async {
        let response = await answer(.get, path)
        #expect(String(decoding: response.body, as: UTF8.self) == "one id=\(value)")
    }

    @Test(
        "no empty segment, no half of one, no NUL, no broken UTF-8 or escape, and nothing decoded elsewhere",
        arguments: [
            "/things/", "/things//", "/things/7/", "//7", "/thing/7", "/things/7/parts/", "/things/7/parts/8/9",
            "/things/%00",
            "/things/%FF", "/things/%C3", "/things/%ED%A0%80", "/things/%", "/things/%4", "/things/%4g", "/thing%73/7",
            "/Things/7", "/x/things/7", "/things/7/parts//",
        ])
    func noMatch(path: String) async { #expect(await answer(.get, path).status == 404) }

    @Test("methods, HEAD, 405 and preflights are as for other paths")
    func methods() async {
        #expect(await answer(.head, "/things/7").status == 200)
        #expect(await answer(.delete, "/things/7").status == 200)
        let put = await answer(.put, "/things/7")
        #expect(put.status == 405)
        #expect(put.headers.all("Allow") == ["GET, HEAD, DELETE"])
        // The exact path has its own methods, and does not borrow.
        #expect(await answer(.delete, "/things/new").headers.all("Allow") == ["GET, HEAD"])
        #expect(await answer(.get, "/open/7").headers["Access-Control-Allow-Origin"] == "*")
        #expect(await answer(.options, "/open/7").status == 204)
        var refusal = Response.text(status: 413, "")
        router.addCORSFields(to: &refusal, path: "/open/7")
        #expect(refusal.headers["Access-Control-Allow-Origin"] == "*")
    }
}
