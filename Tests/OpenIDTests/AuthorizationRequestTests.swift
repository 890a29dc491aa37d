import Testing

@testable import OpenID

@Suite("Authorization request: what is accepted (Core §3.1.2.1)") struct AuthorizationRequestTests {
    @Test("A full request, each part in its place") func full() throws {
        let request = try seleid(
            ("scope", "openid profile offline_access"), ("prompt", "login consent"), ("max_age", "3600"),
            ("login_hint", "alice@example.test"),
            ("id_token_hint", "a.b.c"), ("ui_locales", "de-AT fi"), ("acr_values", "2 1"), ("display", "popup"),
            ("response_mode", "query"))
        #expect(
            request
                == AuthorizationRequest(
                    clientID: "web1", redirectURI: "https://rp.example/cb",
                    scope: ["openid", "profile", "offline_access"],
                    state: "s-1", nonce: "0123456789abcdef", codeChallenge: Fixture.challenge,
                    prompt: [.login, .consent], maxAge: 3600,
                    loginHint: "alice@example.test", idTokenHint: "a.b.c", uiLocales: ["de-AT", "fi"],
                    acrValues: ["2", "1"], display: "popup"))
    }

    @Test("The least a standard client sends; nothing is invented (B127)") func least() throws {
        #expect(
            try oidc()
                == AuthorizationRequest(
                    clientID: "conf1", redirectURI: "https://rp.example/cb",
                    scope: ["openid"], state: nil, nonce: nil,
                    codeChallenge: nil, prompt: [], maxAge: nil, loginHint: nil, idTokenHint: nil, uiLocales: [],
                    acrValues: [], display: nil))
    }

    @Test("RFC 6749 §3.1: empty parameters count as missing") func empty() throws {
        #expect(
            try oidc(
                ("state", ""), ("nonce", ""), ("prompt", ""), ("max_age", ""), ("code_challenge", ""),
                ("code_challenge_method", ""), ("request", ""),
                ("request_uri", ""), ("registration", ""), ("response_mode", ""), ("display", ""), ("id_token_hint", "")
            ) == oidc())
    }

    @Test("The order of parameters does not matter (oidcc-alternate-happy-flow)") func order() throws {
        #expect(
            try validate(Parameters.encode(seleidRequest.reversed()), Fixture.web1()) == seleid())
    }

    @Test("§3.1.2.2: unknown parameters and resource are ignored, repeated or not") func ignored() throws {
        let more = "&extra=foobar&extra=2&resource=https%3A%2F%2Fa.example&resource=x&claims_locales=xx"
        #expect(try validate(query(oidcRequest, []) + more, Fixture.conf1()) == oidc())
    }

    @Test("A native app on a loopback port: the URI that was sent is kept (B025, B038)") func native() throws {
        let request = try validate(
            query(seleidRequest, [("client_id", "app1"), ("redirect_uri", "http://127.0.0.1:51004/cb")]), Fixture.app1()
        )
        #expect(request.redirectURI == "http://127.0.0.1:51004/cb")
        #expect(request.clientID == "app1")
    }

    @Test(
        "§15.1: display, locales, hints and acr_values never cause an error, however odd",
        arguments: [
            ("display", "bogus"), ("display", "page popup"), ("ui_locales", "se"), ("ui_locales", "\u{E9} <x> de_DE"),
            ("claims_locales", "\u{1}x"),
            ("acr_values", "\u{E9} \n"), ("login_hint", String(repeating: "a", count: 5000)), ("login_hint", "a\nb"),
            ("ui_locales", String(repeating: "a", count: 5000)),
            ("acr_values", String(repeating: "a", count: 5000)), ("claims", #"{"made_up":7}"#),
            ("login_hint", "\"><svg onload=alert(1)>"),
        ])
    func neverAnError(name: String, value: String) throws {
        let request = try oidc((name, value))
        #expect(request.scope == ["openid"])
    }

    @Test("What is odd in hints and lists is left out, and lists are cut off") func cutOff() throws {
        #expect(try oidc(("login_hint", String(repeating: "a", count: 320))).loginHint?.count == 320)
        #expect(try oidc(("login_hint", String(repeating: "a", count: 321))).loginHint == nil)
        #expect(try oidc(("login_hint", "a\nb")).loginHint == nil)
        #expect(try oidc(("login_hint", "\u{E4}lva")).loginHint == "\u{E4}lva")
        #expect(
            try oidc(("ui_locales", "de de \(String(repeating: "a", count: 36)) f\u{E9} fi_FI sv")).uiLocales == [
                "de", "sv",
            ])
        #expect(try oidc(("ui_locales", (1...20).map { "x\($0)" }.joined(separator: " "))).uiLocales.count == 10)
        #expect(try oidc(("acr_values", "urn:mace:x 1 1 \u{E9}")).acrValues == ["urn:mace:x", "1"])
        #expect(try oidc(("display", "wap")).display == "wap")
        #expect(try oidc(("display", "PAGE")).display == nil)
    }

    @Test("default_max_age stands in for a missing max_age (Registration §2)") func defaultMaxAge() throws {
        var client = try Fixture.conf1()
        client.defaultMaxAge = 600
        #expect(try validate(query(oidcRequest, []), client).maxAge == 600)
        #expect(try validate(query(oidcRequest, [("max_age", "0")]), client).maxAge == 0)
    }
}
