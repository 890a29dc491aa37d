import Foundation
import JSON
import Testing

@testable import OpenID

@Suite("Client metadata (RFC 7591 §2, OpenID Connect Registration §2)") struct ClientMetadataTests {
    /// Metadata with the least it needs, and `more` behind it.
    private func with(_ more: String, redirectURI: String = "https://rp.example/cb") -> String {
        #"{"client_id": "x", "client_name": "X", "redirect_uris": ["\#(redirectURI)"]\#(more.isEmpty ? "" : ", ")\#(more)}"#
    }

    @Test("Every client of the first fixture file is valid and comes back from its own JSON") func fixtureFile() throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/first.json")
        let json = try JSON(parsing: Array(Data(contentsOf: file)))
        let clients = try #require(json["clients"]?.arrayValue)
        #expect(clients.count == 9)
        for entry in clients {
            let members = try #require(entry.objectValue).filter { $0.name != "client_secret" }
            let client = try ClientMetadata.validate(.object(members)).get()
            #expect(try ClientMetadata.validate(client.json).get() == client)
            #expect(client.clientID == entry["client_id"]?.stringValue)
            #expect(client.signIn == (["off1", "api1"].contains(client.clientID) ? nil : true))
            #expect(client.isResourceServer == (client.clientID == "api1"))
            // With the secret left in, it is refused: it is no metadata.
            if entry["client_secret"] != nil {
                #expect(throws: ClientMetadata.Problems.self) { try ClientMetadata.validate(entry).get() }
            }
        }
    }

    @Test("Defaults, and JSON that leaves them out") func defaults() throws {
        let client = try client(with(""))
        #expect(client.applicationType == .web)
        #expect(client.profile == .seleid)
        #expect(client.tokenEndpointAuthMethod == .clientSecretBasic)
        #expect(client.isConfidential)
        #expect(client.grantTypes == [.authorizationCode])
        #expect(client.scope == ["openid"])
        #expect(client.signIn == nil && !client.firstParty && !client.camelCaseAliases && !client.requireAuthTime)
        #expect(client.refreshRetrySeconds == 60)
        #expect(client.authorizationCodeLifetime == 60)
        #expect(client.idTokenLifetime == 3600)
        #expect(client.accessTokenLifetime == 600)
        #expect(client.refreshTokenIdleLifetime == 2_592_000)
        #expect(client.refreshTokenLifetime == 7_776_000)
        #expect(client.statePolicy == nil && client.noncePolicy == nil && client.pkcePolicy == nil)
        #expect(client.defaultMaxAge == nil)
        #expect(client.postLogoutRedirectURIs == [] && client.contacts == [] && client.switches == [:])
        #expect(
            String(decoding: client.json.serialized(), as: UTF8.self)
                == #"{"client_id":"x","client_name":"X","redirect_uris":["https://rp.example/cb"]}"#)
    }

    @Test("Every member is read, and JSON gives it back") func everything() throws {
        let client = try client(
            """
            {"client_id": "A.b-c_d~9", "client_name": "Café 東京", "application_type": "native", "profile": "oidc", "sign_in": true,
             "first_party": true, "camel_case_aliases": true, "token_endpoint_auth_method": "client_secret_post",
             "grant_types": ["refresh_token", "authorization_code"], "response_types": ["code"],
             "redirect_uris": ["com.example.app:/cb", "http://127.0.0.1/cb"],
             "post_logout_redirect_uris": ["com.example.app:/bye", "https://rp.example/bye?code=1"],
             "scope": "email openid offline_access", "refresh_retry_seconds": 0, "authorization_code_lifetime": 1,
             "id_token_lifetime": 300, "access_token_lifetime": 60, "refresh_token_idle_lifetime": 86400,
             "refresh_token_lifetime": 172800, "state_policy": "required", "nonce_policy": "optional", "pkce_policy": "required",
             "require_auth_time": true, "default_max_age": 0, "client_uri": "https://rp.example/#about",
             "logo_uri": "https://rp.example/logo.png", "policy_uri": "http://localhost:8000/policy", "tos_uri": "https://rp.example/tos",
             "contacts": ["a@rp.example", "Ünal"], "id_token_signed_response_alg": "RS256", "subject_type": "public",
             "switches": {"introspection": false, "userinfo": true}}
            """)
        #expect(client.clientID == "A.b-c_d~9")
        #expect(client.clientName == "Café 東京")
        #expect(client.applicationType == .native)
        #expect(client.profile == .oidc)
        #expect(client.signIn == true && client.firstParty && client.camelCaseAliases && client.requireAuthTime)
        #expect(client.tokenEndpointAuthMethod == .clientSecretPost)
        #expect(client.grantTypes == [.refreshToken, .authorizationCode])
        #expect(client.redirectURIs == ["com.example.app:/cb", "http://127.0.0.1/cb"])
        #expect(client.postLogoutRedirectURIs == ["com.example.app:/bye", "https://rp.example/bye?code=1"])
        #expect(client.scope == ["email", "openid", "offline_access"])
        #expect(client.refreshRetrySeconds == 0)
        #expect(client.authorizationCodeLifetime == 1)
        #expect(client.idTokenLifetime == 300)
        #expect(client.accessTokenLifetime == 60)
        #expect(client.refreshTokenIdleLifetime == 86400)
        #expect(client.refreshTokenLifetime == 172800)
        #expect(client.statePolicy == .required && client.noncePolicy == .optional && client.pkcePolicy == .required)
        #expect(client.defaultMaxAge == 0)
        #expect(client.clientURI == "https://rp.example/#about")
        #expect(client.logoURI == "https://rp.example/logo.png")
        #expect(client.policyURI == "http://localhost:8000/policy")
        #expect(client.tosURI == "https://rp.example/tos")
        #expect(client.contacts == ["a@rp.example", "Ünal"])
        #expect(client.switches == ["introspection": false, "userinfo": true])
        #expect(try ClientMetadata.validate(client.json).get() == client)
        let text = client.json.serialized(pretty: true)
        #expect(try ClientMetadata.validate(JSON(parsing: text)).get() == client)
    }

    @Test("All problems come out at once, in the order of the rules") func allProblems() throws {
        #expect(
            try problems(
                #"{"client_name": "", "redirect_uris": ["http://rp.example/cb"], "sign_in": 1, "scope": "email", "colour": "red", "switches": {"x": true}}"#
            ) == [
                "client_id: is missing",
                "client_name: must be 1 to 200 characters, not all blank",
                "redirect_uris[0]: must be https; http is only for 127.0.0.1, [::1] and localhost",
                "scope: must hold openid",
                "sign_in: must be true or false",
                "switches.x: is no switch; there are userinfo, revocation, session_context, introspection",
                "colour: is unknown here",
            ])
    }

    @Test("Metadata is an object", arguments: ["[]", "null", "1", #""x""#])
    func object(text: String) throws {
        #expect(try problems(text) == ["client: must be an object"])
    }

    @Test(
        "A member of the wrong type, null included, is refused by name",
        arguments: [
            "client_uri", "scope", "profile", "application_type", "token_endpoint_auth_method", "grant_types",
            "response_types", "sign_in", "first_party",
            "camel_case_aliases", "refresh_retry_seconds", "default_max_age", "state_policy", "contacts", "switches",
            "subject_type",
            "id_token_signed_response_alg", "post_logout_redirect_uris", "require_auth_time", "logo_uri",
        ])
    func types(name: String) throws {
        for value in ["null", "{\"a\": 1}", "[1]", "1.5", "-1"] {
            let found = try problems(with("\"\(name)\": \(value)"))
            #expect(found.count == 1 && found[0].hasPrefix(name), "\(value): \(found)")
        }
    }

    @Test(
        "Members that are not known, or not offered, are refused by name",
        arguments: ["jwks_uri", "sector_identifier_uri", "request_uris", "client_name#de", "Client_id", "redirect_uri"])
    func unknown(name: String) throws {
        #expect(try problems(with("\"\(name)\": \"x\"")) == ["\(name): is unknown here"])
    }

    @Test("client_secret is told apart from unknown members") func secret() throws {
        #expect(
            try problems(with(#""client_secret": "hush""#)) == [
                "client_secret: is not metadata; it is set apart from it"
            ])
    }

    @Test("A member that came twice, as a parser would not give it, is refused") func twice() {
        let json = JSON.object([
            .init("client_id", .string("x")), .init("client_name", .string("X")),
            .init("redirect_uris", .array([.string("https://rp.example/cb")])), .init("client_id", .string("y")),
        ])
        guard case .failure(let problems) = ClientMetadata.validate(json) else {
            Issue.record("accepted")
            return
        }
        #expect(problems.description == "client_id: must not be given twice")
    }

    @Test(
        "client_id: 1 to 128 unreserved characters",
        arguments: [
            ("a", true), ("A.b-c_d~9", true), (String(repeating: "a", count: 128), true), ("", false),
            (String(repeating: "a", count: 129), false),
            ("a b", false), ("a/b", false), ("a:b", false), ("a%b", false), ("\u{E9}", false), ("\u{212A}", false),
            ("<script>", false), ("a\\u0000", false), (".", false), ("..", false), ("...", true), (".a", true),
        ])
    func clientID(text: String, accepted: Bool) throws {
        let found = try problems(
            #"{"client_id": "\#(text)", "client_name": "X", "redirect_uris": ["https://rp.example/cb"]}"#)
        #expect(found == (accepted ? [] : ["client_id: must be 1 to 128 letters, digits, - . _ or ~, and not . or .."]))
    }

    @Test(
        "client_name: 1 to 200 characters that cannot disturb a page (B097 is the page's part)",
        arguments: [
            ("X", true), (String(repeating: "\u{E9}", count: 200), true), (String(repeating: "a", count: 201), false),
            (" ", false), (#"a\nb"#, false),
            (#"a\u0000"#, false), (#"a\u007f"#, false), (#"a\u0085"#, false), (#"Bank\u202Egpj"#, false),
            (#"a\u2066b"#, false), (#"a\u2028b"#, false),
            (#"<img src=x onerror=alert(1)>"#, true), ("e\u{301}", true),
        ])
    func clientName(text: String, accepted: Bool) throws {
        let found = try problems(
            #"{"client_id": "x", "client_name": "\#(text)", "redirect_uris": ["https://rp.example/cb"]}"#)
        #expect(found.isEmpty == accepted, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("client_name: ") })
    }

    @Test(
        "Numbers: a client may shorten, never lengthen",
        arguments: [
            ("refresh_retry_seconds", 0, 300), ("authorization_code_lifetime", 1, 60), ("id_token_lifetime", 1, 3600),
            ("access_token_lifetime", 1, 600),
            ("refresh_token_idle_lifetime", 1, 2_592_000), ("refresh_token_lifetime", 1, 7_776_000),
            ("default_max_age", 0, 315_360_000),
        ])
    func numbers(name: String, lowest: Int, highest: Int) throws {
        let refusal = ["\(name): must be a whole number from \(lowest) to \(highest)"]
        #expect(try problems(with("\"\(name)\": \(lowest)")) == [])
        #expect(try problems(with("\"\(name)\": \(highest)")) == [])
        #expect(try problems(with("\"\(name)\": \(lowest - 1)")) == refusal)
        #expect(try problems(with("\"\(name)\": \(highest + 1)")) == refusal)
        #expect(try problems(with("\"\(name)\": \"\(highest)\"")) == refusal)
        #expect(try problems(with("\"\(name)\": 9223372036854775808")) == refusal)
    }

    @Test(
        "scope: known, with openid, nothing twice",
        arguments: [
            (#""openid""#, []), (#""profile openid""#, []), (#"" openid  email ""#, []),
            (#""""#, ["scope: must hold openid"]),
            (#""openid openid""#, ["scope: must not name anything twice"]),
            (
                #""openid groups""#,
                ["scope: holds an unknown scope; there are openid profile email address phone offline_access"]
            ),
            (
                #""openid\temail""#,
                [
                    "scope: holds an unknown scope; there are openid profile email address phone offline_access",
                    "scope: must hold openid",
                ]
            ),
            (#"["openid"]"#, ["scope: must be a string"]),
        ])
    func scope(value: String, expected: [String]) throws {
        #expect(try problems(with("\"scope\": \(value)")) == expected)
    }

    @Test(
        "grant_types and response_types fit together (RFC 7591 §2.1)",
        arguments: [
            (#""grant_types": ["authorization_code"]"#, []),
            (#""grant_types": ["authorization_code", "refresh_token"]"#, []),
            (
                #""grant_types": ["refresh_token"]"#,
                ["grant_types: must hold authorization_code, or nothing for a resource server"]
            ),
            (#""grant_types": []"#, []),
            (
                #""grant_types": ["implicit", "authorization_code"]"#,
                ["grant_types: may hold only authorization_code and refresh_token"]
            ),
            (#""grant_types": ["password"]"#, ["grant_types: may hold only authorization_code and refresh_token"]),
            (
                #""grant_types": ["authorization_code", "authorization_code"]"#,
                ["grant_types: must not name anything twice"]
            ),
            (#""response_types": ["code"]"#, []),
            (#""response_types": ["code", "id_token"]"#, ["response_types: must be [code], the only value offered"]),
            (#""response_types": []"#, ["response_types: must be [code], the only value offered"]),
            (
                #""id_token_signed_response_alg": "none""#,
                ["id_token_signed_response_alg: must be RS256, the only value offered"]
            ),
            (#""subject_type": "pairwise""#, ["subject_type: must be public, the only value offered"]),
            (
                #""token_endpoint_auth_method": "private_key_jwt""#,
                ["token_endpoint_auth_method: must be client_secret_basic, client_secret_post or none"]
            ),
            (#""application_type": "mobile""#, ["application_type: must be web or native"]),
            (#""state_policy": "maybe""#, ["state_policy: must be required or optional"]),
            (#""profile": "oauth""#, ["profile: must be seleid, oidc or fapi2"]),
        ])
    func values(member: String, expected: [String]) throws {
        #expect(try problems(with(member)) == expected)
    }

    @Test("fapi2 is refused as long as what it requires is not there") func fapi2() throws {
        let found = try problems(with(#""profile": "fapi2""#))
        #expect(found.count == 1 && found[0].hasPrefix("profile: fapi2 needs pushed authorization requests"))
    }

    @Test(
        "Links about the app are https, or http on loopback",
        arguments: [
            ("https://rp.example/x#y", true), ("http://localhost/x", true), ("http://127.0.0.1:1/x", true),
            ("http://rp.example/x", false), ("javascript:alert(1)", false),
            ("data:text/html,x", false), ("/x", false), ("com.example.app:/x", false), ("https://a@rp.example", false),
            ("", false),
        ])
    func links(uri: String, accepted: Bool) throws {
        for name in ["client_uri", "logo_uri", "policy_uri", "tos_uri"] {
            let found = try problems(with("\"\(name)\": \"\(uri)\""))
            #expect(accepted ? found == [] : found.count == 1 && found[0].hasPrefix("\(name): "))
        }
    }

    @Test(
        "post_logout_redirect_uris follow the rules of redirect URIs; only state is the answer's there",
        arguments: [
            (#"["https://rp.example/bye?code=1"]"#, []),
            (
                #"["https://rp.example/bye?state=1"]"#,
                [
                    "post_logout_redirect_uris[0]: must not have a query parameter named state, which belongs to the answer"
                ]
            ),
            (#"["https://rp.example/bye#x"]"#, ["post_logout_redirect_uris[0]: must not have a fragment (#)"]),
            ("[]", []),
            (
                #"["https://a.example", "https://a.example"]"#,
                ["post_logout_redirect_uris: must not name anything twice"]
            ),
        ])
    func postLogout(value: String, expected: [String]) throws {
        #expect(try problems(with("\"post_logout_redirect_uris\": \(value)")) == expected)
    }

    @Test("contacts: short texts without control characters") func contacts() throws {
        #expect(
            try problems(with(#""contacts": ["a", ""]"#)) == [
                "contacts[1]: must be 1 to 254 characters without control characters"
            ])
        #expect(
            try problems(with(#""contacts": ["a\nb"]"#)) == [
                "contacts[0]: must be 1 to 254 characters without control characters"
            ])
        let many = (1...21).map { "\"\($0)\"" }.joined(separator: ",")
        #expect(try problems(with("\"contacts\": [\(many)]")) == ["contacts: must not have more than 20 entries"])
    }

    @Test("switches are true or false under their names") func switches() throws {
        #expect(try problems(with(#""switches": {"userinfo": 1}"#)) == ["switches.userinfo: must be true or false"])
        #expect(
            try problems(with(#""switches": []"#)) == ["switches: must be an object of switches that are true or false"]
        )
        #expect(try client(with(#""switches": {}"#)).switches == [:])
    }
}
