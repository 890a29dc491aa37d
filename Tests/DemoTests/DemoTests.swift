import HTTP
import Testing

@testable import Demo

@Suite("Demo app") struct DemoTests {
    let demo = Demo(issuer: "http://127.0.0.1:8080", clientID: "demo", username: "demo\"<b>", password: "pass & word")

    func get(_ path: String) async throws -> Response {
        let route = try #require(demo.routes.first { $0.path == path })
        return try await route.handler(Request(method: .get, path: path))
    }

    @Test(
        "The app lives on the issuer's origin, wherever the issuer's own path leads",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/demo/callback"),
            ("https://localhost:9443/t1", "https://localhost:9443/demo/callback"),
            ("http://[::1]:8080/a/b", "http://[::1]:8080/demo/callback"),
        ])
    func redirectURI(issuer: String, uri: String) {
        let demo = Demo(issuer: issuer, clientID: "demo", path: "/demo", username: "u", password: "p")
        #expect(demo.redirectURI == uri)
    }

    @Test(
        "Start and callback answer with a policy for their own origin only, and without anything inline",
        arguments: ["/demo", "/demo/callback"])
    func pages(path: String) async throws {
        let response = try await get(path)
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["X-Frame-Options"] == "DENY")
        #expect(
            response.headers["Content-Security-Policy"] == "default-src 'none'; script-src 'self'; style-src 'self'; "
                + "img-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; "
                + "require-trusted-types-for 'script'")
        let html = String(decoding: response.body, as: UTF8.self)
        #expect(!html.contains(" style=\""))
        #expect(html.firstMatch(of: /\son[a-z]+\s*=/) == nil, "an event handler")
        #expect(html.components("<script").count == 2)
        #expect(html.contains("<script type=\"module\" src=\"/demo/app-"))
        #expect(html.contains("data-redirect-uri=\"http://127.0.0.1:8080/demo/callback\""))
        #expect(html.contains("data-issuer=\"http://127.0.0.1:8080\""))
    }

    @Test("The start page names the demo person, escaped")
    func person() async throws {
        let html = String(decoding: try await get("/demo").body, as: UTF8.self)
        #expect(html.contains("<dd>demo&quot;&lt;b&gt;</dd>"))
        #expect(html.contains("<dd>pass &amp; word</dd>"))
    }

    @Test("Each linked file is served with its type, and the page's script imports the protocol's by its hashed name")
    func assets() async throws {
        let html = String(decoding: try await get("/demo").body, as: UTF8.self)
        let assets = demo.routes.map(\.path).filter { $0.contains("-") }
        #expect(assets.count == 3)
        for path in assets {
            #expect(html.contains("\"\(path)\""))
            let response = try await get(path)
            let type = try #require(response.headers["Content-Type"])
            #expect(type == (path.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"))
            #expect(response.headers["Cache-Control"] == "public, max-age=31536000, immutable")
        }
        let app = try #require(assets.first { $0.contains("/app-") })
        let script = try #require(assets.first { $0.contains("/oidc-") })
        let source = String(decoding: try await get(app).body, as: UTF8.self)
        #expect(source.hasPrefix("import * as oidc from '\(script)';\n"))
    }

    @Test("Tokens stay in the tab: no long-lived storage, no markup from strings")
    func sources() async throws {
        for path in demo.routes.map(\.path).filter({ $0.hasSuffix(".js") }) {
            let source = String(decoding: try await get(path).body, as: UTF8.self)
            for forbidden in ["localStorage", "document.cookie", "indexedDB", "innerHTML", "eval(", "document.write"] {
                #expect(!source.contains(forbidden), "\(path): \(forbidden)")
            }
        }
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
