import Testing

@testable import OpenID

@Suite("Authorization request: errors for the redirect URI (Core §3.1.2.6)") struct AuthorizationRequestErrorTests {
    static let names = [
        "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
        "prompt", "max_age", "display",
        "ui_locales", "claims_locales", "login_hint", "id_token_hint", "acr_values", "claims", "request", "request_uri",
        "registration",
    ]

    @Test("B005, RFC 6749 §3.1: a known parameter that came twice is invalid_request", arguments: names)
    func repeated(name: String) throws {
        for values in ["=a&\(name)=b", "=&\(name)=", "=&\(name)=eyJhbGciOiJub25lIn0.e30."] {
            let base = query(seleidRequest, [(name, nil)])
            let error = try redirected("\(base)&\(name)\(values)", Fixture.web1())
            #expect(error.code == .invalidRequest)
            #expect(error.description == "\(name) must not be repeated")
        }
    }

    @Test(
        "B007, B022, Core §6: request objects have their own codes, before anything that may be inside them",
        arguments: [
            ("request", ErrorCode.requestNotSupported), ("request_uri", .requestURINotSupported),
            ("registration", .registrationNotSupported),
        ])
    func unsupported(name: String, code: ErrorCode) throws {
        let value = name == "request_uri" ? "http://169.254.169.254/latest" : "eyJhbGciOiJub25lIn0.e30."
        #expect(try seleidError((name, value)).code == code)
        // State only inside the object, as the certification test sends it.
        #expect(try seleidError((name, value), ("state", nil), ("response_type", nil), ("scope", nil)).code == code)
    }

    @Test("Both request and request_uri: request is named first") func both() throws {
        #expect(try seleidError(("request", "x"), ("request_uri", "y")).code == .requestNotSupported)
    }

    @Test(
        "RFC 6749 §3.1.1: response_type",
        arguments: [
            (nil, ErrorCode.invalidRequest), ("", .invalidRequest), ("token", .unsupportedResponseType),
            ("id_token", .unsupportedResponseType),
            ("code id_token", .unsupportedResponseType), ("code token", .unsupportedResponseType),
            ("Code", .unsupportedResponseType), ("none", .unsupportedResponseType),
            ("code ", .unsupportedResponseType), ("bogus", .unsupportedResponseType),
        ])
    func responseType(value: String?, code: ErrorCode) throws {
        #expect(try seleidError(("response_type", value)).code == code)
    }

    @Test("unauthorized_client: without the code grant, and while sign-in is off, which names the switch")
    func unauthorized() throws {
        var client = try Fixture.web1()
        client.signIn = false
        let off = try redirected(query(seleidRequest, []), client)
        #expect(off.code == .unauthorizedClient)
        #expect(off.description.contains("sign_in"))
        client.signIn = true
        client.grantTypes = [.refreshToken]
        #expect(try redirected(query(seleidRequest, []), client).code == .unauthorizedClient)
        // A broken request is told first what is broken.
        client.signIn = false
        #expect(
            try redirected(query(seleidRequest, [("response_type", "token")]), client).code == .unsupportedResponseType)
    }

    @Test(
        "response_mode other than query is invalid_request",
        arguments: ["fragment", "form_post", "jwt", "Query", "web_message"])
    func responseMode(value: String) throws {
        #expect(try seleidError(("response_mode", value)).code == .invalidRequest)
    }

    @Test(
        "A scope without openid is invalid_scope",
        arguments: [nil, "", "email", "OPENID", "openid2", "email profile", " "])
    func openid(value: String?) throws {
        #expect(try seleidError(("scope", value)).code == .invalidScope)
    }

    @Test(
        "RFC 6749 §3.3: a character that no scope has is invalid_scope",
        arguments: [
            "openid \"x", #"openid \x"#, "openid\temail", "openid\nemail", "openid caf\u{E9}", "openid \u{7F}",
            "open\u{200B}id openid",
        ])
    func scopeCharacters(value: String) throws {
        #expect(try seleidError(("scope", value)).code == .invalidScope)
    }

    @Test(
        "B019: unknown scopes and those of others are dropped; order is kept, repeats are not",
        arguments: [
            ("openid email groups made_up", ["openid", "email"]),
            ("made_up!#$%&'()*+,/:;<=>?@[]^_`{|}~ openid", ["openid"]),
            ("phone openid address phone openid", ["phone", "openid", "address"]),
            ("openid  email", ["openid", "email"]), (" openid ", ["openid"]), ("openid OpenID Email", ["openid"]),
        ])
    func scopes(value: String, expected: [String]) throws {
        #expect(try seleid(("scope", value)).scope == expected)
    }

    @Test("Scopes the client may not have are dropped, offline_access too without the refresh grant (Core §11)")
    func clientScopes() throws {
        var client = try Fixture.conf1()
        client.scope = ["openid", "email", "offline_access"]
        let asked = query(oidcRequest, [("scope", "openid profile email offline_access")])
        #expect(try validate(asked, client).scope == ["openid", "email", "offline_access"])
        client.grantTypes = [.authorizationCode]
        #expect(try validate(asked, client).scope == ["openid", "email"])
    }

    @Test("state: required by the profile, 4096 bytes at most, any text but control characters (B016, B017)")
    func state() throws {
        #expect(try seleidError(("state", nil)).description == "state is missing")
        #expect(try seleidError(("state", "")).code == .invalidRequest)
        for state in [
            "a+b c&d=e%f", "{\"k\":\"\u{E9}\"}", "x", String(repeating: "s", count: 600),
            String(repeating: "s", count: 4000), String(repeating: "\u{E9}", count: 2048),
        ] {
            #expect(try seleid(("state", state)).state == state)
        }
        for state in [
            String(repeating: "s", count: 4097), String(repeating: "\u{E9}", count: 2049),
            String(repeating: "s", count: 20000),
        ] {
            #expect(try seleidError(("state", state)).description == "state must not be longer than 4096 bytes")
            #expect(try oidcError(("state", state)).code == .invalidRequest)
        }
        for state in ["a\nb", "a\tb", "\u{7F}", "\u{1B}[0m", "\u{85}"] {
            #expect(try seleidError(("state", state)).description == "state must not hold control characters")
        }
    }

    @Test(
        "The certification tests' states and nonces of 10 to 1000 characters pass in the oidc profile",
        arguments: [1, 10, 43, 64, 128, 384, 1000])
    func certificationLengths(count: Int) throws {
        let text = String(repeating: "a", count: max(0, count - 4)) + String("-._~".prefix(count))
        let request = try oidc(("state", text), ("nonce", text))
        #expect(request.state == text && request.nonce == text)
    }

    @Test(
        "nonce: 16 to 256 characters where the seleid profile requires it",
        arguments: [
            (0, false), (1, false), (15, false), (16, true), (17, true), (255, true), (256, true), (257, false),
            (1024, false), (1025, false),
        ])
    func nonceLength(count: Int, accepted: Bool) throws {
        for character in ["n", "\u{E9}"] where character == "n" || count < 500 {
            let nonce = String(repeating: character, count: count)
            if accepted {
                #expect(try seleid(("nonce", nonce)).nonce == nonce)
            } else {
                #expect(try seleidError(("nonce", nonce)).code == .invalidRequest)
            }
        }
    }

    @Test("nonce: optional ones follow the standard, up to 1024 bytes") func optionalNonce() throws {
        var client = try Fixture.web1()
        client.noncePolicy = .optional
        #expect(try validate(query(seleidRequest, [("nonce", nil)]), client).nonce == nil)
        #expect(try validate(query(seleidRequest, [("nonce", "n")]), client).nonce == "n")
        #expect(try oidc(("nonce", String(repeating: "n", count: 1024))).nonce?.count == 1024)
        #expect(
            try oidcError(("nonce", String(repeating: "n", count: 1025))).description
                == "nonce must not be longer than 1024 bytes")
        #expect(try oidcError(("nonce", "a\nb")).description == "nonce must not hold control characters")
        client = try Fixture.conf1()
        client.noncePolicy = .required
        #expect(try redirected(query(oidcRequest, []), client).description == "nonce is missing")
        #expect(try validate(query(oidcRequest, [("nonce", "short")]), client).nonce == "short")
    }

    @Test(
        "PKCE, RFC 7636 §4.3 and §4.4.1: each way to get it wrong is invalid_request",
        arguments: [
            (nil, nil, "required"), (nil, "S256", "beside its method"), (nil, "plain", "beside its method"),
            (Fixture.challenge, nil, "means plain"),
            (Fixture.challenge, "plain", "must be S256"), (Fixture.challenge, "s256", "must be S256"),
            (Fixture.challenge, "S512", "must be S256"),
            (String(Fixture.challenge.dropLast()), "S256", "43"), (Fixture.challenge + "A", "S256", "43"),
            (Fixture.challenge + "=", "S256", "43"),
            (String(Fixture.challenge.dropLast()) + "+", "S256", "43"),
            (String(Fixture.challenge.dropLast()) + ".", "S256", "43"), ("a", "S256", "43"),
            (String(repeating: "a", count: 128), "S256", "43"),
        ])
    func pkce(challenge: String?, method: String?, reason: String) throws {
        let error = try seleidError(("code_challenge", challenge), ("code_challenge_method", method))
        #expect(error.code == .invalidRequest)
        #expect(error.description.contains(reason), "\(error.description)")
        // Where PKCE is optional, what is sent must still be right (conformance 0.1: leaving it out is fine).
        if challenge != nil || method != nil {
            #expect(
                try oidcError(("code_challenge", challenge), ("code_challenge_method", method)).code == .invalidRequest)
        }
    }

    @Test("PKCE: used where it is optional; required of public clients in every profile") func pkceUse() throws {
        #expect(
            try oidc(("code_challenge", Fixture.challenge), ("code_challenge_method", "S256")).codeChallenge
                == Fixture.challenge)
        #expect(try oidc().codeChallenge == nil)
        let spa = try client(
            #"{"client_id": "spa1", "client_name": "S", "sign_in": true, "profile": "oidc", "token_endpoint_auth_method": "none", "redirect_uris": ["https://rp.example/cb"]}"#
        )
        #expect(try redirected(query(oidcRequest, [("client_id", "spa1")]), spa).code == .invalidRequest)
    }

    @Test(
        "B050, Core §3.1.2.1: prompt",
        arguments: [
            ("none", [Prompt.none]), ("login", [.login]), ("login consent", [.login, .consent]),
            ("consent login select_account", [.login, .consent, .selectAccount]),
            ("login login", [.login]), (" login ", [.login]), (" ", []),
        ] as [(String, Set<Prompt>)])
    func prompt(value: String, expected: Set<Prompt>) throws {
        #expect(try seleid(("prompt", value)).prompt == expected)
    }

    @Test(
        "B050: none with another value, and values unknown or in another case, are invalid_request",
        arguments: [
            "none login", "login none", "none consent select_account", "NONE", "Login", "bogus", "login bogus",
            "create", "login,consent", "none\u{E9}", "login\tconsent",
        ])
    func badPrompt(value: String) throws {
        #expect(try seleidError(("prompt", value)).code == .invalidRequest)
    }

    @Test("none twice is none") func noneTwice() throws {
        #expect(try seleid(("prompt", "none none")).prompt == [.none])
    }

    @Test(
        "B053: max_age is a whole number of seconds; a larger one than ten years is taken for ten years",
        arguments: [
            ("0", 0), ("1", 1), ("10000", 10000), ("15000", 15000), ("007", 7), ("315360000", 315_360_000),
            ("315360001", 315_360_000), ("9223372036854775808", 315_360_000),
            (String(repeating: "9", count: 500), 315_360_000),
        ])
    func maxAge(value: String, expected: Int) throws {
        #expect(try seleid(("max_age", value)).maxAge == expected)
    }

    @Test(
        "B053: anything else is invalid_request",
        arguments: ["-1", "+1", "1.5", "1e3", "abc", " 1", "1 ", "0x10", "\u{0661}", "1,000", "-0"])
    func badMaxAge(value: String) throws {
        #expect(try seleidError(("max_age", value)).code == .invalidRequest)
    }

    @Test("id_token_hint: up to 8192 bytes; a longer one is refused, since ignoring it could answer for another person")
    func idTokenHint() throws {
        #expect(try seleid(("id_token_hint", String(repeating: "a", count: 8192))).idTokenHint?.count == 8192)
        #expect(try seleidError(("id_token_hint", String(repeating: "a", count: 8193))).code == .invalidRequest)
    }

    @Test("The first broken rule in the documented order is the answer") func order() throws {
        var changes: [(String, String?)] = [
            ("request", "x"), ("request_uri", "x"), ("registration", "x"), ("response_type", "token"),
            ("response_mode", "fragment"), ("scope", "email"),
            ("state", nil), ("nonce", nil), ("code_challenge", nil), ("code_challenge_method", nil),
            ("prompt", "bogus"), ("max_age", "x"), ("claims", "x"),
        ]
        var found: [String] = []
        let client = try Fixture.web1()
        while let (name, _) = changes.first {
            let error = try redirected(query(seleidRequest, changes), client)
            found.append("\(error.code.rawValue) \(name)")
            changes.removeFirst()
            if name == "code_challenge" {
                changes.removeFirst()
            }
        }
        #expect(
            found == [
                "request_not_supported request", "request_uri_not_supported request_uri",
                "registration_not_supported registration",
                "unsupported_response_type response_type", "invalid_request response_mode", "invalid_scope scope",
                "invalid_request state", "invalid_request nonce",
                "invalid_request code_challenge", "invalid_request prompt", "invalid_request max_age",
                "invalid_request claims",
            ])
    }

    @Test("No description echoes what was sent (B097)") func noEcho() throws {
        for (name, _) in seleidRequest.dropFirst(2) + [
            ("prompt", ""), ("max_age", ""), ("response_mode", ""), ("claims", ""),
        ]
        where name != "state" && name != "nonce" {
            let error = try seleidError((name, "openid\n<zzz>"))
            #expect(!error.description.contains("zzz"))
            #expect(error.detail == nil)
        }
    }
}
