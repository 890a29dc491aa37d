import JSON
import Testing

@testable import OpenID

@Suite("The claims parameter (Core §5.5)") struct ClaimsRequestTests {
    @Test("Both members are read, whatever the claims' requests say; each claim counts once")
    func read() throws {
        let text = """
            {"userinfo": {"given_name": {"essential": true}, "nickname": null, "email": {"value": "x", "purpose": "y"}},
             "id_token": {"name": {"values": ["A", "B"]}, "birthdate": {}}}
            """
        #expect(
            try ClaimsRequest(parsing: text)
                == ClaimsRequest(userInfo: [.givenName, .nickname, .email], idToken: [.name, .birthdate]))
    }

    @Test(
        "What is not known or not understood causes no error",
        arguments: [
            "{}", #"{"somewhere":{"name":null}}"#, #"{"userinfo":{"made_up":{"essential":true}},"id_token":{"x":7}}"#,
            #"{"userinfo":null,"id_token":null}"#, #"{"userinfo":{"name":true,"email":"x","phone_number":[]}}"#,
            #"{"id_token":{"acr":{"essential":true},"auth_time":{"essential":true}}}"#,
            #"{"userinfo":{"sub":null,"Name":null,"name#de":null}}"#, #"{"id_token":{"sub":{"essential":true}}}"#,
            #"{"id_token":{"sub":{"values":["a","b"]}}}"#, #" { } "#,
        ])
    func ignored(text: String) throws {
        #expect(try ClaimsRequest(parsing: text).isEmpty)
    }

    @Test(
        "What is no JSON object, or has a member that is none, is invalid_request",
        arguments: [
            "name", "[]", "null", "1", #""{}""#, "{", "{}{}", #"{"userinfo":{"name":null}"#, "{'userinfo':{}}",
            #"{"userinfo":[]}"#, #"{"userinfo":["name"]}"#, #"{"id_token":"name"}"#, #"{"id_token":true}"#,
            #"{"userinfo":{"name":null,"name":null}}"#, #"{"userinfo":{},"userinfo":{"name":null}}"#, "\u{FEFF}{}",
            #"{"userinfo":{"name":{"value":"\ud800"}}}"#,
            #"{"id_token":{"sub":{"value":""}}}"#, #"{"id_token":{"sub":{"value":7}}}"#,
            #"{"id_token":{"sub":{"value":null}}}"#, #"{"userinfo":{"sub":{"values":[{}]}}}"#,
        ])
    func illFormed(text: String) throws {
        let error = try #require(#expect(throws: OAuthError.self) { try ClaimsRequest(parsing: text) })
        #expect(error.code == .invalidRequest)
        #expect(isDescription(error.description))
    }

    @Test("4096 bytes at most; all that can be asked for fits") func limit() throws {
        let start = #"{"userinfo":{"name":null},"x":""#
        let longest = start + String(repeating: "x", count: ClaimsRequest.limit - start.utf8.count - 2) + #""}"#
        #expect(longest.utf8.count == 4096)
        #expect(try ClaimsRequest(parsing: longest).userInfo == [.name])
        let error = try #require(
            #expect(throws: OAuthError.self) { try ClaimsRequest(parsing: longest + " ") })
        #expect(error.code == .invalidRequest)

        let all = StandardClaim.allCases.map { #""\#($0.rawValue)":{"essential":true,"value":"0123456789"}"# }
        let text = #"{"userinfo":{\#(all.joined(separator: ","))},"id_token":{\#(all.joined(separator: ","))}}"#
        #expect(try ClaimsRequest(parsing: text).idToken.count == StandardClaim.allCases.count)
    }

    @Test(
        "A sub with a value names the one person who will do, in either member",
        arguments: [
            #"{"id_token":{"sub":{"value":"alice"}}}"#, #"{"userinfo":{"sub":{"value":"alice","essential":true}}}"#,
            #"{"id_token":{"sub":{"values":["alice"]}},"userinfo":{"sub":{"value":"alice"}}}"#,
        ])
    func subject(text: String) throws {
        #expect(try ClaimsRequest(parsing: text) == ClaimsRequest(subject: "alice"))
    }

    @Test("Two persons at once are nobody") func twoSubjects() throws {
        let text = #"{"id_token":{"sub":{"value":"alice"}},"userinfo":{"sub":{"value":"bob"}}}"#
        let error = try #require(#expect(throws: OAuthError.self) { try ClaimsRequest(parsing: text) })
        #expect(error.code == .loginRequired)
    }

    @Test("§5.4: each claim has its scope; what is asked for is limited to the scopes a client may have")
    func scopes() {
        let request = ClaimsRequest(
            userInfo: [.name, .email, .phoneNumberVerified], idToken: [.address, .updatedAt], subject: "alice")
        #expect(request.scope == ["profile", "email", "phone", "address"])
        #expect(
            request.limited(to: ["openid", "profile", "address"])
                == ClaimsRequest(userInfo: [.name], idToken: [.address, .updatedAt], subject: "alice"))
        #expect(request.limited(to: ["openid"]) == ClaimsRequest(subject: "alice"))
        #expect(StandardClaim.allCases.count { $0.scope == .profile } == 14)
        #expect(StandardClaim.allCases.filter { $0.scope == .email } == [.email, .emailVerified])
        #expect(StandardClaim.allCases.filter { $0.scope == .address } == [.address])
        #expect(StandardClaim.allCases.filter { $0.scope == .phone } == [.phoneNumber, .phoneNumberVerified])
    }

    @Test("In an authorization request: what the client may not have is dropped, and repeats are refused")
    func inRequest() throws {
        let claims = #"{"userinfo":{"name":null,"phone_number":null},"id_token":{"email":null}}"#
        var client = try Fixture.conf1()
        client.scope = ["openid", "email"]
        let request = try validate(query(oidcRequest, [("claims", claims)]), client)
        #expect(request.claims == ClaimsRequest(idToken: [.email]))
        #expect(request.scope == ["openid"])
        #expect(try oidc(("claims", "")).claims.isEmpty)
        #expect(try oidcError(("claims", "{")).code == .invalidRequest)
        let twice = query(oidcRequest, []) + "&claims=%7B%7D&claims=%7B%7D"
        #expect(try redirected(twice, client).code == .invalidRequest)
    }

    @Test("§5.3.2: what is not known of the person is left out, never null or empty; types stay")
    func written() throws {
        let person = try JSON(
            parsing: Array(
                """
                {"name":"Alice","nickname":"","email":null,"email_verified":true,"address":{},"updated_at":1700000000,
                 "made_up":"x","locale":"en"}
                """.utf8))
        var writer = JSONObjectWriter()
        writer.add("sub", "a")
        writer.add(claimsOf: person) { $0 != .locale }
        #expect(
            String(decoding: writer.finish(), as: UTF8.self)
                == #"{"sub":"a","name":"Alice","email_verified":true,"updated_at":1700000000}"#)
    }

    @Test(
        "§5.5.1.1: an essential acr that cannot be reached fails; a voluntary one, or one without values, does not",
        arguments: [
            (#"{"essential":true,"values":["urn:x"]}"#, false), (#"{"essential":true,"value":"urn:x"}"#, false),
            (#"{"essential":true,"value":7}"#, false),
            (#"{"essential":true,"values":["urn:x","urn:seleid:acr:password"]}"#, true),
            (#"{"essential":true,"value":"urn:seleid:acr:password"}"#, true),
            (#"{"essential":true,"values":[]}"#, true), (#"{"essential":true}"#, true),
            (#"{"essential":false,"values":["urn:x"]}"#, true), (#"{"values":["urn:x"]}"#, true), ("null", true),
        ])
    func essentialContext(acr: String, isAccepted: Bool) throws {
        #expect((try? ClaimsRequest(parsing: #"{"userinfo":{"acr":\#(acr)}}"#)) != nil, "userinfo has none")
        let text = #"{"id_token":{"acr":\#(acr)}}"#
        guard !isAccepted else {
            #expect(try ClaimsRequest(parsing: text).isEmpty)
            return
        }
        let error = try #require(#expect(throws: OAuthError.self) { try ClaimsRequest(parsing: text) })
        #expect(error.code == .unmetAuthenticationRequirements)
    }
}
