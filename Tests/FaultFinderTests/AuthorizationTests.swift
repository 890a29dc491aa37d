import OpenID
import SeededRandom
import Testing

@testable import FaultFinder
@testable import Storage

@Suite("What refuses an authorization request") struct AuthorizationTests {
    static let base: [(String, String)] = [
        ("client_id", "web1"), ("redirect_uri", "https://rp.example/cb"), ("response_type", "code"),
        ("scope", "openid email"), ("state", Fixture.state), ("nonce", Fixture.nonce),
        ("code_challenge", Fixture.challenge), ("code_challenge_method", "S256"),
    ]

    static func explain(
        _ text: String, client: ClientRecord? = nil, switches: SwitchStates = SwitchStates()
    ) throws -> Explanation {
        var faults = AuthorizationFaults(issuer: Fixture.issuer, text: AuthorizationText(text))
        let web1 = try Fixture.web1()
        let known = client ?? web1
        return faults.explain(
            .init(
                client: faults.clientID == known.metadata.clientID ? known : nil, switches: switches,
                requiredSubject: { request throws(OAuthError) in
                    guard let hint = request.idTokenHint else { return nil }
                    guard hint == "ours" else { throw OAuthError(.invalidRequest, "no ID Token of this issuer") }
                    return "alice"
                }, now: Fixture.now))
    }

    @Test(
        "the first rule that fails is named, with the error and where it goes",
        arguments: [
            ([:], "accepted sign_in_page"),
            // Who asks, and where may the answer go
            (["client_id": nil], "client_id page invalid_request"),
            (["client_id": "no client"], "client_id page invalid_request"),
            (["client_id": "Web1"], "client page invalid_request"),
            (["redirect_uri": nil], "redirect_uri page invalid_request"),
            (["redirect_uri": ""], "redirect_uri page invalid_request"),
            (["redirect_uri": "https://rp.example/cb/"], "redirect_uri page invalid_request"),
            (["redirect_uri": "http://rp.example/cb"], "redirect_uri page invalid_request"),
            (["redirect_uri": "https://rp.example:443/cb"], "redirect_uri page invalid_request"),
            (["redirect_uri": "https://RP.example/cb"], "redirect_uri page invalid_request"),
            (["redirect_uri": "https://rp.example/cb#x"], "redirect_uri page invalid_request"),
            (["redirect_uri": "https://evil.example/cb"], "redirect_uri page invalid_request"),
            (["redirect_uri": "https%3A%2F%2Frp.example%2Fcb"], "redirect_uri page invalid_request"),
            // What is asked
            (["request": "x"], "unsupported_parameters redirect_uri request_not_supported"),
            (["response_type": nil], "response_type redirect_uri invalid_request"),
            (["response_type": "token"], "response_type redirect_uri unsupported_response_type"),
            (["response_type": "code id_token"], "response_type redirect_uri unsupported_response_type"),
            (["response_mode": "fragment"], "response_mode redirect_uri invalid_request"),
            (["scope": nil], "scope redirect_uri invalid_scope"),
            (["scope": "email"], "scope redirect_uri invalid_scope"),
            (["scope": "openid \"x\""], "scope redirect_uri invalid_scope"),
            (["state": nil], "state redirect_uri invalid_request"),
            (["state": ""], "state redirect_uri invalid_request"),
            (["nonce": nil], "nonce redirect_uri invalid_request"),
            (["nonce": "short"], "nonce redirect_uri invalid_request"),
            (["code_challenge": nil], "code_challenge redirect_uri invalid_request"),
            (["code_challenge_method": nil], "code_challenge redirect_uri invalid_request"),
            (["code_challenge_method": "plain"], "code_challenge redirect_uri invalid_request"),
            (["code_challenge": "\(Fixture.challenge)="], "code_challenge redirect_uri invalid_request"),
            (["prompt": "none login"], "prompt redirect_uri invalid_request"),
            (["prompt": "NONE"], "prompt redirect_uri invalid_request"),
            (["max_age": "-1"], "max_age redirect_uri invalid_request"),
            (["claims": "[]"], "claims redirect_uri invalid_request"),
            (["claims": #"{"userinfo": {"email": null}}"#], "accepted sign_in_page"),
            (["id_token_hint": "others"], "required_subject redirect_uri invalid_request"),
            (["id_token_hint": "ours"], "accepted sign_in_page"),
            (["prompt": "none"], "accepted answer_without_page"),
            (["prompt": "login consent"], "accepted sign_in_page"),
            (["resource": "https://api.example"], "accepted sign_in_page"),
        ] as [([String: String?], String)])
    func classicFaults(changes: [String: String?], expected: String) throws {
        let query = form(Self.base, changes)
        #expect(try Self.explain(query).outcome == expected)
        #expect(try Self.explain("https://id.example/authorize?" + query).outcome == expected)
    }

    @Test("how the client stands is asked before its redirect URI, its switch behind response_type")
    func clientState() throws {
        let query = form(Self.base)
        #expect(
            try Self.explain(query, client: Fixture.web1(isEnabled: false)).outcome == "enabled page invalid_request")
        #expect(
            try Self.explain(query, client: Fixture.web1(#"{"sign_in": false}"#)).outcome
                == "sign_in redirect_uri unauthorized_client")
        #expect(
            try Self.explain(query, switches: SwitchStates([.signIn: .off])).outcome
                == "sign_in redirect_uri unauthorized_client")
        let check = try Self.explain(query, switches: SwitchStates([.signIn: .off])).check("sign_in")
        #expect(check.registered == ["switch sign_in: off", "of this client: on"])
    }

    @Test("a repeated parameter is named; which one decides where the error goes")
    func repeats() throws {
        let state = try Self.explain(form(Self.base) + "&state=again")
        #expect(state.outcome == "repeated_parameters redirect_uri invalid_request")
        #expect(try state.check("repeated_parameters").sent == "state")
        #expect(try Self.explain(form(Self.base) + "&client_id=web1").outcome == "client_id page invalid_request")
        #expect(
            try Self.explain(form(Self.base) + "&redirect_uri=x").outcome == "redirect_uri page invalid_request")
    }

    @Test("registered and sent stand side by side, and what differs is said")
    func sideBySide() throws {
        let check = try Self.explain(form(Self.base, ["redirect_uri": "https://rp.example/cb/"])).check("redirect_uri")
        #expect(check.registered == ["https://rp.example/cb", "https://rp.example/b?tenant=7"])
        #expect(check.sent == "https://rp.example/cb/")
        #expect(check.finding?.contains("it differs from a registered one in a trailing slash") == true)
        #expect(check.advice?.contains("Send https://rp.example/cb, or register what is sent.") == true)
        let scope = try Self.explain(form(Self.base, ["scope": "openid groups"])).check("scope")
        #expect(scope.registered == ["openid profile email"])
        #expect(scope.finding?.contains("groups") == true)
        let nonce = try Self.explain(form(Self.base, ["nonce": "short"])).check("nonce")
        #expect(nonce.registered == ["required, 16 to 256 characters"])
        #expect(nonce.sent == "5 characters, all base64url")
    }

    @Test("what is wrong behind the first fault is told too, so that all of it can be mended at once")
    func allFaults() throws {
        let explanation = try Self.explain(
            form(Self.base, ["redirect_uri": "https://rp.example/", "state": nil, "prompt": "none login"]))
        #expect(explanation.failures == ["redirect_uri", "state", "prompt"])
    }

    @Test("behind an unknown client nothing can be compared")
    func skipped() throws {
        let explanation = try Self.explain(form(Self.base, ["client_id": "nobody"]))
        let outcomes = explanation.checks.map { "\($0.rule) \($0.outcome.name)" }
        #expect(outcomes.prefix(3) == ["encoding passed", "client_id passed", "client failed"])
        #expect(outcomes.dropFirst(4).allSatisfy { $0.hasSuffix(" skipped") })
        #expect(explanation.checks.map(\.rule).contains("code_challenge"))
    }

    @Test("what the HTTP reader or the encoding refuses is told with the parameter")
    func encoding() throws {
        let bad = try Self.explain(form(Self.base) + "&login_hint=100%")
        #expect(bad.outcome == "url http 400")
        #expect(try bad.check("url").finding == "it cannot be read (login_hint)")
        #expect(try Self.explain("scope=openid email").outcome == "url http 400")
        let nul = try Self.explain(form(Self.base) + "&ui_locales=%00")
        #expect(nul.outcome == "encoding page invalid_request")
        #expect(try nul.check("encoding").finding?.contains("NUL (ui_locales)") == true)
        #expect(try Self.explain(form(Self.base) + "&x=%FF").outcome == "encoding page invalid_request")
        let long = form(Self.base) + "&login_hint=" + String(repeating: "x", count: 14 * 1024)
        #expect(try Self.explain(long).outcome == "url http 414")
    }

    @Test("a query of the redirect URI that was not encoded shows up as unknown parameters")
    func unencodedRedirectURI() throws {
        let explanation = try Self.explain(
            "https://id.example/authorize?redirect_uri=https://rp.example/b?a=1&tenant=7&client_id=web1")
        #expect(explanation.outcome == "redirect_uri page invalid_request")
        #expect(explanation.notes.contains { $0.contains("tenant") && $0.contains("percent-encoded") })
    }

    @Test("where it goes is compared with the issuer")
    func address() throws {
        let query = form(Self.base)
        let other = try Self.explain("https://id2.example/authorize?" + query)
        #expect(other.outcome == "accepted sign_in_page")
        #expect(other.notes.contains { $0.contains("https://id2.example") && $0.contains("https://id.example") })
        #expect(try Self.explain("https://id.example/authorise?" + query).outcome == "path http 404")
        #expect(try Self.explain("https://id.example/authorize?" + query + "#x").notes.count == 1)
        #expect(try Self.explain("https://id.example/authorize?" + query).notes == [])
    }

    @Test(
        "URL, path and query, or query alone",
        arguments: [
            ("https://id.example/a?b=c", "https://id.example", "/a", "b=c"),
            (" https://id.example:8443/a?b=c\r\n", "https://id.example:8443", "/a", "b=c"),
            ("https://id.example?b=c", "https://id.example", "/", "b=c"),
            ("https://id.example/a", "https://id.example", "/a", ""),
            ("https://id.example/a?b=c#d?e", "https://id.example", "/a", "b=c"),
            ("/a?b=https://x/?y", nil, "/a", "b=https://x/?y"),
            ("?b=c", nil, nil, "b=c"), ("b=c", nil, nil, "b=c"),
            ("b=https://x/y?z=1&c=d", nil, nil, "b=https://x/y?z=1&c=d"),
            ("", nil, nil, ""), ("https://", "https://", "/", ""), (":", nil, nil, ":"), ("#", nil, nil, ""),
        ] as [(String, String?, String?, String)])
    func reading(text: String, origin: String?, path: String?, query: String) {
        let read = AuthorizationText(text)
        #expect(read.origin == origin)
        #expect(read.path == path)
        #expect(read.query == query)
    }

    @Test("no value that is or may be a secret is told")
    func secrecy() throws {
        let secrets = [
            "state": "SECRET-state-0123456789", "nonce": "SECRET-nonce-0123456789",
            "code_challenge": "SECRET-challenge",
            "id_token_hint": "SECRET-hint", "login_hint": "SECRET-login", "claims": "SECRET-claims",
            "code": "SECRET-code", "password": "SECRET-password", "client_secret": "SECRET-secret",
            "request": "SECRET-request", "SECRET-name-SECRET-name-SECRET-name-SECRET-name": "x",
        ]
        let explanation = try Self.explain(form(Self.base, secrets.mapValues { $0 }))
        #expect(!explanation.text.contains("SECRET"))
        let callback = try Self.explain(
            form(Self.base, ["redirect_uri": "https://rp.example/cb?x=1&code=SECRET&state=SECRET#id_token=SECRET"]))
        #expect(
            try callback.check("redirect_uri").sent == "https://rp.example/cb?x=1&code=…&state=…#id_token=…")
        for name in ["client_id", "response_type", "grant_type", "prompt", "code_challenge_method"] {
            let misplaced = String(repeating: "SECRET-", count: 10)
            #expect(try !Self.explain(form(Self.base, [name: misplaced])).text.contains("SECRET"))
        }
        let user = try Self.explain("https://SECRET:SECRET@id.example/authorize?" + form(Self.base))
        #expect(!user.text.contains("SECRET"))
        let broken = try Self.explain(form(Self.base, secrets.mapValues { $0 }) + "&code=SECRET%zz")
        #expect(!broken.text.contains("SECRET"))
    }

    @Test("for any mutation, the verdict is the one of the functions that the endpoint calls")
    func agreement() throws {
        var generator = SeededGenerator(seed: 3)
        let client = try Fixture.web1()
        let pieces = [
            "&state=", "&scope=openid", "&prompt=none", "%", "%00", "&client_id=", "redirect_uri=", "&", "=", "plain",
            "&nonce", "&request=1", "&max_age=1", "&max_age=x", " ", "é", "+", "token",
        ]
        var refusals: Set<String> = []
        for _ in 0..<3_000 {
            var query = form(Self.base)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = query.index(
                    query.startIndex, offsetBy: Int.random(in: 0...query.count, using: &generator))
                if Bool.random(using: &generator) {
                    query.insert(contentsOf: pieces.randomElement(using: &generator) ?? "", at: place)
                } else {
                    let end = query.index(place, offsetBy: 12, limitedBy: query.endIndex) ?? query.endIndex
                    query.removeSubrange(place..<end)
                }
            }
            let explanation = try Self.explain(query, client: client)
            // What does not come through the HTTP reader has no verdict of these functions.
            if explanation.refused?.refusal.place == .http { continue }
            #expect(explanation.outcome.drop { $0 != " " } == Self.served(query, client).drop { $0 != " " })
            if let rule = explanation.refused?.check.rule { refusals.insert(rule) }
        }
        #expect(refusals.count >= 10, "the mutations reach the rules")
    }

    /// As the endpoint does it; the first word does not matter.
    static func served(_ query: String, _ client: ClientRecord) -> String {
        guard let parameters = try? Parameters(formEncoded: query.utf8) else { return "x page invalid_request" }
        guard let clientID = try? AuthorizationRequest.clientID(of: parameters), clientID == client.metadata.clientID
        else { return "x page invalid_request" }
        let target: AuthorizationTarget
        do { target = try AuthorizationRequest.target(of: parameters, for: client.metadata) } catch {
            return "x page \(error.code.rawValue)"
        }
        do {
            let request = try AuthorizationRequest.validate(
                parameters, for: client.metadata, at: target, switches: SwitchStates())
            return "x \(request.prompt.contains(.none) ? "answer_without_page" : "sign_in_page")"
        } catch {
            return "x redirect_uri \(error.code.rawValue)"
        }
    }
}
