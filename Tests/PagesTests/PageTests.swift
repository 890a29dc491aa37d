import HTTP
import Testing

@testable import OpenID
@testable import Pages

@Suite("Pages") struct PageTests {
    @Test(
        "Every page is well-formed in every language, in its language, with a title and one first heading",
        arguments: Language.allCases)
    func wellFormed(language: Language) throws {
        for page in everyPage("Plain & simple") {
            let response = page.response(language)
            let markup = try Markup(response.html)
            #expect(markup.all("html").map(\.attributes) == [["lang": language.rawValue]], "\(page.name)")
            #expect(response.headers["Content-Language"] == language.rawValue)
            #expect(markup.all("title").count == 1)
            #expect(markup.all("h1").count == 1)
            #expect(markup.all("main").count == 1)
            #expect(markup.all("meta").contains { $0.attributes["name"] == "viewport" })
            let ids = markup.elements.compactMap { $0.attributes["id"] }
            #expect(Set(ids).count == ids.count)
            // Labels and references point at something.
            let targets = markup.elements.flatMap { element in
                ["for", "aria-describedby", "aria-labelledby"].compactMap { element.attributes[$0] }
            }
            #expect(Set(targets).isSubset(of: ids))
            #expect(markup.elements.filter { $0.attributes["autofocus"] != nil }.count <= 1)
        }
    }

    @Test("No script, no inline style, no event handler, nothing from elsewhere", arguments: Language.allCases)
    func nothingActive(language: Language) throws {
        for page in everyPage("https://elsewhere.example/x") {
            for element in try Markup(page.response(language).html).elements {
                #expect(!["script", "style", "iframe", "object", "embed", "base", "svg"].contains(element.name))
                for (name, value) in element.attributes {
                    #expect(name != "style" && !name.hasPrefix("on"), "\(page.name): \(name)")
                    if name == "src" || (name == "href" && element.name == "link") {
                        #expect(value.hasPrefix("/assets/"), "\(page.name): \(value)")
                    }
                }
            }
        }
    }

    @Test("Every page has the headers that keep it safe; pop-ups keep their opener")
    func headers() {
        for page in everyPage("Plain") {
            let headers = page.response(.english).headers
            #expect(headers["Content-Type"] == "text/html; charset=utf-8", "\(page.name)")
            #expect(headers["Cache-Control"] == "no-store")
            #expect(headers["X-Frame-Options"] == "DENY")
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            #expect(headers["Referrer-Policy"] == "same-origin")
            #expect(headers["Permissions-Policy"] == "camera=(), geolocation=(), microphone=()")
            #expect(headers["Cross-Origin-Opener-Policy"] == nil)
            let common = "default-src 'none'; style-src 'self'; img-src 'self'; "
            let hasForm = ["sign-in", "account", "consent"].contains { page.name.hasPrefix($0) }
            #expect(
                headers.all("Content-Security-Policy") == [
                    common + (hasForm ? "" : "form-action 'none'; ") + "frame-ancestors 'none'; base-uri 'none'"
                ])
        }
    }

    @Test(
        "The policy is the same whatever the redirect URI holds",
        arguments: [
            "https://app.example/cb", "http://127.0.0.1:51004/cb", "http://[::1]:51004/cb", "com.example.app:/seleid",
            "https://app.example; script-src *", "x:; script-src 'unsafe-inline'", "https://a.example/\r\nX-Evil: 1",
            "",
        ])
    func policy(redirectURI: String) {
        let app = AppFace(name: "A", redirectURI: redirectURI)
        for response in [
            SignInPage(app: app, action: "/s", request: "r").response(language: .english),
            AccountPage(app: app, action: "/s", request: "r", accountName: "a").response(language: .english),
            ConsentPage(app: app, action: "/s", request: "r", accountName: "a", scopes: []).response(
                language: .english),
        ] {
            #expect(
                response.headers["Content-Security-Policy"]
                    == "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'")
        }
    }

    @Test("The sign-in form works with password managers, on phones and without script")
    func signInForm() throws {
        let page = SignInPage(app: webApp, action: "/t1/sign-in", request: "sealed")
        let response = page.response(language: .english)
        let markup = try Markup(response.html)
        #expect(response.status == 200)
        #expect(markup.all("form").map(\.attributes) == [["method": "post", "action": "/t1/sign-in"]])
        let inputs = Dictionary(
            uniqueKeysWithValues: markup.all("input").map { ($0.attributes["name"] ?? "", $0.attributes) })
        #expect(Set(inputs.keys) == ["request", "username", "password"])
        #expect(inputs["request"] == ["type": "hidden", "name": "request", "value": "sealed"])
        let username = try #require(inputs["username"])
        #expect(username["autocomplete"] == "username")
        #expect(username["autocapitalize"] == "none")
        #expect(username["autofocus"] != nil)
        let password = try #require(inputs["password"])
        #expect(password["type"] == "password")
        #expect(password["autocomplete"] == "current-password")
        #expect(password["value"] == nil)
        // Enter in a field presses the first button, which must sign in.
        #expect(
            markup.all("button").map(\.attributes) == [
                ["class": "primary", "type": "submit"],
                ["type": "submit", "name": "decision", "value": "cancel", "formnovalidate": ""],
            ])
        #expect(markup.text.contains("to continue to Acme Web"))
    }

    @Test("A problem is announced, kept with the fields it is about, and the password gets the focus")
    func problem() throws {
        let page = SignInPage(
            app: webApp, action: "/s", request: "r", username: "alice@example.test", problem: .wrongCredentials)
        let markup = try Markup(page.response(status: 401, language: .english).html)
        #expect(markup.elements.filter { $0.attributes["role"] == "alert" }.map { $0.attributes["id"] } == ["problem"])
        let fields = markup.all("input").filter { $0.attributes["type"] != "hidden" }
        #expect(fields.map { $0.attributes["aria-describedby"] } == ["problem", "problem"])
        #expect(fields.map { $0.attributes["autofocus"] } == [nil, ""])
    }

    @Test(
        "Waiting is said in seconds up to a minute and in whole minutes above, and in Retry-After",
        arguments: [
            (-5, "in a second", "1"), (0, "in a second", "1"), (1, "in a second", "1"), (2, "in 2 seconds", "2"),
            (60, "in 60 seconds", "60"), (61, "in 2 minutes", "61"), (120, "in 2 minutes", "120"),
            (121, "in 3 minutes", "121"), (Int.max, "in 153722867280912931 minutes", "9223372036854775807"),
        ])
    func waiting(seconds: Int, words: String, header: String) throws {
        let page = SignInPage(app: webApp, action: "/s", request: "r", problem: .tooManyAttempts(seconds: seconds))
        let response = page.response(status: 429, language: .english)
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == header)
        #expect(try Markup(response.html).text.contains("Please try again \(words)."))
    }

    @Test("The account page offers this account or another one")
    func account() throws {
        let page = AccountPage(app: webApp, action: "/s", request: "sealed", accountName: "alice@example.test")
        let markup = try Markup(page.response(language: .english).html)
        #expect(markup.all("button").map { $0.attributes["value"] } == ["continue", "other"])
        #expect(markup.all("button").allSatisfy { $0.attributes["name"] == "decision" })
        #expect(markup.all("input").map { $0.attributes["value"] } == ["sealed"])
        #expect(markup.text.contains("alice@example.test"))
    }

    @Test("The account is shown by name and, where that differs, by what the person signs in with")
    func accountNames() throws {
        func text(username: String) throws -> String {
            let page = AccountPage(app: webApp, action: "/s", request: "r", accountName: "Alice", username: username)
            return try Markup(page.response(language: .english).html).text
        }
        #expect(try text(username: "alice@work.test").contains("Alice alice@work.test"))
        #expect(try !text(username: "Alice").contains("Alice Alice"))
    }

    @Test("The consent page says each scope in plain words, once, and openid even when it was not listed")
    func consentScopes() throws {
        func items(_ scopes: [StandardScope]) throws -> Int {
            let page = ConsentPage(app: webApp, action: "/s", request: "r", accountName: "alice", scopes: scopes)
            return try Markup(page.response(language: .english).html).all("ul")
                .filter { $0.attributes["class"] == "scopes" }.isEmpty
                ? 0 : Markup(page.response(language: .english).html).all("li").count - 3
        }
        #expect(try items([]) == 1)
        #expect(try items([.openid]) == 1)
        #expect(try items([.email, .openid, .email]) == 2)
        #expect(try items(StandardScope.allCases) == StandardScope.allCases.count)
        let alone = ConsentPage(app: webApp, action: "/s", request: "r", accountName: "alice", scopes: [.openid])
        #expect(
            try Markup(alone.response(language: .english).html).text.contains(
                "know who you are: an identifier, and nothing else about you"))
    }

    @Test("The consent page names app, account and destination; nothing is allowed by a stray key")
    func consent() throws {
        let page = ConsentPage(
            app: webApp, action: "/s", request: "sealed", accountName: "alice@example.test", scopes: [.email])
        let markup = try Markup(page.response(language: .english).html)
        #expect(markup.all("button").map { $0.attributes["value"] } == ["allow", "deny", "other"])
        #expect(markup.elements.allSatisfy { $0.attributes["autofocus"] == nil })
        for words in [
            "Acme Web would like to:", "alice@example.test", "You then go back to app.acme.example.",
            "see your email address",
        ] {
            #expect(markup.text.contains(words), "\(words)")
        }
        #expect(
            markup.all("a").map { $0.attributes["href"] } == [
                "https://acme.example", "https://acme.example/privacy", "https://acme.example/terms?a=1&b=2",
            ])
    }

    @Test(
        "The destination is a host, or the app on this device",
        arguments: [
            ("https://app.example/cb", "You then go back to app.example."),
            ("https://APP.example:8443/cb", "You then go back to app.example:8443."),
            ("com.example.app:/cb", "You then go back to the app on this device."),
            ("http://127.0.0.1:51004/cb", "You then go back to the app on this device."),
            ("http://[::1]:51004/cb", "You then go back to the app on this device."),
            ("http://localhost:51004/cb", "You then go back to the app on this device."),
        ])
    func destination(redirectURI: String, words: String) throws {
        let app = AppFace(name: "A", redirectURI: redirectURI)
        let page = ConsentPage(app: app, action: "/s", request: "r", accountName: "a", scopes: [])
        #expect(try Markup(page.response(language: .english).html).text.contains(words))
    }

    @Test("The return page goes on by itself and has a button for the same address")
    func returning() throws {
        let url = "com.example.app:/seleid?code=a&state=b%22;c'd"
        let response = ReturnPage(app: nativeApp, url: url).response(language: .english)
        let markup = try Markup(response.html)
        #expect(response.status == 200)
        #expect(
            markup.all("meta").first { $0.attributes["http-equiv"] == "refresh" }?.attributes["content"]
                == "0;url=\(url)")
        #expect(markup.all("a").map { $0.attributes["href"] } == [url])
        #expect(markup.text.contains("Open Acme Mobile"))
    }

    @Test(
        "The return page leads nowhere but to the app's redirect URI",
        arguments: [
            ("com.example.app:/cb", "javascript:alert(1)"), ("com.example.app:/cb", "https://evil.example/"),
            ("javascript:alert(1)", "javascript:alert(1)"), ("data:text/html,x", "data:text/html,x?code=1"),
            ("com.example.app:/cb", "com.example.app:/cb?state=\" onclick=\"x"),
            ("com.example.app:/cb", "com.example.app:/c"),
            ("", ""), ("", "https://evil.example"), ("com.example.app:/cb", "com.example.app:/cb\r\n?x"),
        ])
    func returningElsewhere(redirectURI: String, url: String) throws {
        guard !(redirectURI.isEmpty && !url.isEmpty) else { return }
        let app = AppFace(name: "A", redirectURI: redirectURI)
        let response = ReturnPage(app: app, url: url).response(language: .english)
        let markup = try Markup(response.html)
        #expect(response.status == 500)
        #expect(markup.all("a").isEmpty)
        #expect(markup.all("meta").allSatisfy { $0.attributes["http-equiv"] == nil })
    }

    @Test(
        "An error page has its status, words for the person and facts for the developer",
        arguments: zip(ErrorPage.Kind.allCases, [400, 404, 400, 400, 503, 500]))
    func errors(kind: ErrorPage.Kind, status: Int) throws {
        let page = ErrorPage(
            kind, code: "invalid_request", description: "redirect_uri is not registered", requestID: "req-1")
        let response = page.response(language: .english)
        #expect(response.status == status)
        #expect((response.headers["Retry-After"] != nil) == (status == 503))
        let markup = try Markup(response.html)
        for words in ["invalid_request", "redirect_uri is not registered", "req-1"] {
            #expect(markup.text.contains(words))
        }
        #expect(markup.all("dt").count == 3)
        #expect(try Markup(ErrorPage(kind, requestID: "r").response(language: .english).html).all("dt").count == 1)
    }

    @Test("Assets are cached for good under names that hold a hash, below the base path")
    func assets() async throws {
        let routes = Assets(basePath: "/t1").routes
        #expect(routes.map(\.path) == ["/t1" + Asset.styleSheet.path, "/t1" + Asset.icon.path])
        let linked = try Markup(ErrorPage(.failure, requestID: "r").response(language: .english).html).all("link")
            .compactMap { $0.attributes["href"] }
        #expect(linked == [Asset.icon.path, Asset.styleSheet.path])
        for (route, type) in zip(routes, ["text/css; charset=utf-8", "image/svg+xml"]) {
            let response = try await route.handler(Request(method: .get, path: route.path))
            #expect(response.status == 200)
            #expect(response.headers["Content-Type"] == type)
            #expect(response.headers["Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(!response.body.isEmpty)
        }
        let one = Asset(directory: "/a", name: "x", suffix: "css", mediaType: "text/css", content: "a")
        let other = Asset(directory: "/a", name: "x", suffix: "css", mediaType: "text/css", content: "b")
        // FNV-1a of "a", from the published vectors.
        #expect(one.path == "/a/x-af63dc4c8601ec8c.css")
        #expect(other.path == "/a/x-af63df4c8601f1a5.css")
    }
}
