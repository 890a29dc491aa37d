import JOSE
import OpenID
import Testing

@testable import FaultFinder
@testable import Storage

@Suite("What refuses a token request") struct TokenTests {
    static let redeem: [(String, String)] = [
        ("grant_type", "authorization_code"), ("code", Fixture.code), ("redirect_uri", "https://rp.example/cb"),
        ("code_verifier", Fixture.verifier),
    ]
    static let refresh: [(String, String)] = [("grant_type", "refresh_token"), ("refresh_token", "SECRET-refresh")]

    static func basic(_ id: String = "web1", _ secret: String = Fixture.secret) -> [String] {
        ["Basic " + Base64.encode(Array("\(id):\(secret)".utf8))]
    }

    static let goodCode = IssuedCode(
        clientID: "web1", redirectURI: "https://rp.example/cb", codeChallenge: Fixture.challenge,
        createdAt: Fixture.now - 5, expiresAt: Fixture.now + 55, isExpired: false)
    static let goodGrant = RefreshStanding(
        clientID: "web1", scope: ["openid", "email"], generation: 3, rotatedAt: Fixture.now - 100,
        expiresAt: Fixture.now + 9_000, idleExpiresAt: Fixture.now + 900)

    static func explain(
        _ body: String, _ authorization: [String] = basic(), contentType: String? = nil, client: ClientRecord? = nil,
        code: IssuedCode? = goodCode, refreshToken: SentRefreshToken = .known(generation: 3, goodGrant),
        canSign: Bool = true, switches: SwitchStates = SwitchStates()
    ) throws -> Explanation {
        var faults = TokenFaults(
            TokenRequestText(body: Array(body.utf8), authorization: authorization, contentType: contentType))
        let web1 = try Fixture.web1()
        let known = client ?? web1
        var facts = TokenFaults.Facts(masterKeys: Fixture.masterKeys, now: Fixture.now)
        if faults.credentials?.clientID == known.metadata.clientID { facts.client = known }
        facts.code = code
        facts.refreshToken = refreshToken
        facts.canSign = canSign
        facts.switches = switches
        return faults.explain(facts)
    }

    @Test(
        "the client, before anything about its grant",
        arguments: [
            (basic(), [:], "accepted tokens"),
            (["basic " + basic()[0].dropFirst(6)], [:], "accepted tokens"),
            ([], [:], "client_authentication response invalid_client"),
            (basic() + basic(), [:], "client_authentication response invalid_request"),
            (basic(), ["client_secret": Fixture.secret], "client_authentication response invalid_request"),
            (basic(), ["client_id": "web2"], "client_authentication response invalid_request"),
            (["Bearer x"], [:], "client_authentication response invalid_client"),
            (["Basic ????"], [:], "client_authentication response invalid_client"),
            (["Basic " + Base64.encode(Array("web1".utf8))], [:], "client_authentication response invalid_client"),
            ([], ["client_assertion": "x"], "client_authentication response invalid_client"),
            (basic("nobody"), [:], "client response invalid_client"),
            (
                [], ["client_id": "web1", "client_secret": Fixture.secret],
                "token_endpoint_auth_method response invalid_client"
            ),
            ([], ["client_id": "web1", "client_secret": ""], "token_endpoint_auth_method response invalid_client"),
            (basic("web1", "wrong-wrong-wrong"), [:], "client_secret response invalid_client"),
            (basic("web1", Fixture.oldSecret), [:], "client_secret response invalid_client"),
        ] as [([String], [String: String?], String)])
    func client(authorization: [String], changes: [String: String?], expected: String) throws {
        #expect(try Self.explain(form(Self.redeem, changes), authorization).outcome == expected)
    }

    @Test("a disabled client, a switch that is off, and no key to sign with")
    func state() throws {
        let body = form(Self.redeem)
        #expect(
            try Self.explain(body, client: Fixture.web1(isEnabled: false)).outcome == "enabled response invalid_client")
        #expect(
            try Self.explain(body, switches: SwitchStates([.signIn: .off])).outcome
                == "sign_in response unauthorized_client")
        #expect(try Self.explain(body, canSign: false).outcome == "signing_key response temporarily_unavailable")
        #expect(try Self.explain(body, canSign: false).refused?.refusal.status == 503)
    }

    @Test("why a secret does not fit is found out where it can be")
    func secrets() throws {
        func advice(_ secret: String) throws -> String? {
            try Self.explain(form(Self.redeem), Self.basic("web1", secret)).check("client_secret").advice
        }
        #expect(try advice(Fixture.oldSecret)?.contains("secret 1, which has expired") == true)
        #expect(try advice(Fixture.secret + "\n")?.contains("without its blanks") == true)
        #expect(try advice("nothing-like-it-0123456789")?.contains("Use a secret of this client") == true)
        let odd = ClientRecord(
            metadata: try Fixture.web1().metadata, isEnabled: true,
            secrets: [ClientSecret(id: 1, hash: Fixture.masterKeys.hash(secret: "p+q"), expiresAt: nil)], createdAt: 0,
            updatedAt: 0)
        let raw = try Self.explain(form(Self.redeem), Self.basic("web1", "p+q"), client: odd)
        #expect(try raw.check("client_secret").advice?.contains("form-encode") == true)
        #expect(
            try Self.explain(form(Self.redeem), Self.basic("web1", "p%2Bq"), client: odd).outcome == "accepted tokens")
        let check = try Self.explain(form(Self.redeem)).check("client_secret")
        #expect(check.registered.count == 2 && check.registered[0].contains("expired"))
        #expect(check.sent == "44 characters, all base64url")
    }

    @Test(
        "what is asked",
        arguments: [
            ("grant_type=authorization_code", "code_parameter response invalid_request"),
            ("code=x", "grant_type response invalid_request"),
            ("grant_type=password", "grant_type response unsupported_grant_type"),
            ("grant_type=client_credentials", "grant_type response unauthorized_client"),
            ("grant_type=authorization_code&code=a&code=b", "repeated_parameters response invalid_request"),
            ("grant_type=refresh_token", "refresh_token_parameter response invalid_request"),
            ("grant_type=refresh_token&refresh_token=x&scope=+", "scope response invalid_scope"),
            ("grant_type=refresh_token&refresh_token=x&scope=%22", "scope response invalid_scope"),
            ("grant_type=%zz", "encoding response invalid_request"),
            (#"{"grant_type":"authorization_code"}"#, "grant_type response invalid_request"),
        ])
    func request(body: String, expected: String) throws {
        #expect(try Self.explain(body).outcome == expected)
    }

    @Test("another media type, where it is told, and what looks like JSON")
    func mediaType() throws {
        let body = form(Self.redeem)
        #expect(
            try Self.explain(body, contentType: "application/json").outcome == "content_type response invalid_request")
        #expect(
            try Self.explain(body, contentType: "Application/X-WWW-Form-Urlencoded; charset=utf-8").outcome
                == "accepted tokens")
        #expect(try Self.explain("{}").notes.contains { $0.contains("JSON") })
    }

    static func code(_ change: (inout IssuedCode) -> Void) -> IssuedCode {
        var code = goodCode
        change(&code)
        return code
    }

    @Test(
        "a code",
        arguments: [
            (nil, [:], "code"),
            (code { $0.clientID = "web2" }, [:], "code_client"),
            (code { $0.spentAt = Fixture.now }, [:], "code_unspent"),
            (code { $0.isExpired = true }, [:], "code_lifetime"),
            (goodCode, ["redirect_uri": "https://rp.example/cb/"], "redirect_uri"),
            (goodCode, ["redirect_uri": nil], "redirect_uri"),
            (goodCode, ["code_verifier": nil], "code_verifier"),
            (goodCode, ["code_verifier": "x"], "code_verifier"),
            (goodCode, ["code_verifier": Fixture.challenge], "code_verifier"),
            (code { $0.codeChallenge = nil }, [:], "code_verifier"),
            (code { $0.accountStatus = .disabled }, [:], "account"),
            (code { $0.accountStatus = nil }, [:], "account"),
            (code { $0.isSessionLive = false }, [:], "session"),
            (code { $0.hasConsent = false }, [:], "consent"),
        ] as [(IssuedCode?, [String: String?], String)])
    func codes(code: IssuedCode?, changes: [String: String?], rule: String) throws {
        let explanation = try Self.explain(form(Self.redeem, changes), code: code)
        #expect(explanation.outcome == "\(rule) response invalid_grant")
        #expect(explanation.failures == [rule])
    }

    @Test("a spent code tells what its first use did, and what was wrong with that")
    func spent() throws {
        let gave = try Self.explain(
            form(Self.redeem), code: Self.code { ($0.spentAt, $0.grantID) = (Fixture.now, 12) })
        #expect(try gave.check("code_unspent").finding?.contains("gave grant 12, which this use would end") == true)
        let refused = try Self.explain(
            form(Self.redeem, ["code_verifier": "x"]), code: Self.code { $0.spentAt = Fixture.now })
        #expect(try refused.check("code_unspent").finding?.contains("gave nothing") == true)
        #expect(refused.failures == ["code_unspent", "code_verifier"])
    }

    @Test("a first-party app needs no consent")
    func firstParty() throws {
        let client = try Fixture.web1(#"{"first_party": true}"#)
        let code = Self.code { $0.hasConsent = false }
        #expect(try Self.explain(form(Self.redeem), client: client, code: code).outcome == "accepted tokens")
    }

    @Test("registered and sent redirect URI stand side by side; of the verifier only whether it fits is told")
    func sideBySide() throws {
        let explanation = try Self.explain(
            form(Self.redeem, ["redirect_uri": "http://rp.example/cb", "code_verifier": Fixture.challenge]))
        let uri = try explanation.check("redirect_uri")
        #expect(uri.registered == ["https://rp.example/cb"])
        #expect(uri.sent == "http://rp.example/cb")
        #expect(uri.finding?.contains("http against https") == true)
        let verifier = try explanation.check("code_verifier")
        #expect(verifier.finding == "the challenge itself was sent in place of the verifier")
        #expect(verifier.sent == "43 characters, all base64url")
        #expect(!explanation.text.contains(Fixture.challenge))
    }

    static func grant(_ generation: Int64 = 3, _ change: (inout RefreshStanding) -> Void = { _ in }) -> SentRefreshToken
    {
        var grant = goodGrant
        change(&grant)
        return .known(generation: generation, grant)
    }

    @Test(
        "a refresh token",
        arguments: [
            (grant(), [:], "accepted tokens"),
            (grant(), ["scope": "email"], "accepted tokens"),
            (.unknown, [:], "refresh_token response invalid_grant"),
            (.accessToken, [:], "refresh_token response invalid_grant"),
            (.known(generation: 3, nil), [:], "refresh_token response invalid_grant"),
            (grant { $0.clientID = "web2" }, [:], "refresh_token_client response invalid_grant"),
            (grant(), ["scope": "openid phone"], "granted_scope response invalid_scope"),
            (grant { $0.endedAt = Fixture.now }, ["scope": "phone"], "granted_scope response invalid_scope"),
            (grant { $0.endedAt = Fixture.now }, [:], "grant response invalid_grant"),
            (grant { $0.isExpired = true }, [:], "grant_lifetime response invalid_grant"),
            (grant { $0.isIdle = true }, [:], "grant_lifetime response invalid_grant"),
            (grant(2), [:], "generation response invalid_grant"),
            (grant(2) { $0.isRetry = true }, [:], "accepted tokens"),
            (grant(1) { $0.isRetry = false }, [:], "generation response invalid_grant"),
            (grant(4), [:], "generation response invalid_grant"),
        ] as [(SentRefreshToken, [String: String?], String)])
    func refreshTokens(token: SentRefreshToken, changes: [String: String?], expected: String) throws {
        #expect(try Self.explain(form(Self.refresh, changes), refreshToken: token).outcome == expected)
    }

    @Test("why and when a sign-in ended, and how old a refresh token is")
    func refreshDetails() throws {
        let ended = try Self.explain(
            form(Self.refresh),
            refreshToken: Self.grant { ($0.endedAt, $0.endReason) = (Fixture.now, "password_changed") })
        #expect(try ended.check("grant").finding == "the sign-in ended 2027-01-15T08:00:00Z: password_changed")
        let old = try Self.explain(form(Self.refresh), refreshToken: Self.grant(1))
        #expect(try old.check("generation").finding?.contains("2 generations older") == true)
    }

    @Test("no secret of a token request is told, whatever is wrong with it")
    func secrecy() throws {
        let secrets: [String: String?] = [
            "code": "SECRET-code", "code_verifier": "SECRET-verifier", "refresh_token": "SECRET-refresh",
            "client_secret": "SECRET-secret", "password": "SECRET-password", "username": "SECRET-user",
            "client_assertion": "SECRET-assertion", "SECRET-SECRET-SECRET-SECRET-SECRET-SECRET": "x",
        ]
        for grantType in ["authorization_code", "refresh_token", nil] {
            for authorization in [
                Self.basic("web1", "SECRET-basic"), ["SECRET-SECRET"], ["SECRET SECRET"],
                Self.basic(String(repeating: "SECRET-", count: 6)), [],
            ] {
                var changes = secrets
                changes["grant_type"] = grantType
                for changes in [changes, changes.filter { $0.key != "client_secret" && $0.key != "client_assertion" }] {
                    for tail in ["", "&code=SECRET", "&x=%zz"] {
                        let text = try Self.explain(form(Self.redeem, changes) + tail, authorization).text
                        #expect(!text.contains("SECRET"))
                        #expect(!text.contains(Base64.encode(Array("web1:SECRET".utf8)).prefix(12)))
                    }
                }
            }
        }
    }
}
