import Testing

@testable import OpenID

@Suite("Token request (RFC 6749 §4.1.3, §6)") struct TokenRequestTests {
    private func error(_ body: String, _ client: ClientMetadata) -> ErrorCode? {
        let error = #expect(throws: OAuthError.self) { try TokenRequest(parameters(body), client: client) }
        if let error { #expect(isDescription(error.description)) }
        return error?.code
    }

    @Test("§4.1.3: code, redirect URI and verifier, each decoded once") func code() throws {
        let app = try Fixture.app1()
        #expect(
            try TokenRequest(
                parameters(
                    "grant_type=authorization_code&code=C1&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb&code_verifier=v&client_id=app1"
                ),
                client: app) == .authorizationCode(code: "C1", redirectURI: "http://127.0.0.1:9/cb", codeVerifier: "v"))
        #expect(
            try TokenRequest(
                parameters("grant_type=authorization_code&code=C1&redirect_uri=&code_verifier="), client: app)
                == .authorizationCode(code: "C1", redirectURI: nil, codeVerifier: nil))
    }

    @Test("B043: an ill-formed verifier is a wrong one, judged with the code", arguments: ["a", "%20", "+", "%C3%A9"])
    func verifier(text: String) throws {
        let request = try TokenRequest(
            parameters("grant_type=authorization_code&code=C1&code_verifier=\(text)"), client: Fixture.app1())
        guard case .authorizationCode(_, _, let verifier) = request else {
            Issue.record("\(request)")
            return
        }
        #expect(verifier != nil && PKCE.challenge(for: verifier ?? "") == nil)
    }

    @Test("§6: refresh token and scope") func refresh() throws {
        let app = try Fixture.app1()
        #expect(
            try TokenRequest(parameters("grant_type=refresh_token&refresh_token=R1"), client: app)
                == .refreshToken("R1", scope: nil))
        #expect(
            try TokenRequest(parameters("grant_type=refresh_token&refresh_token=R1&scope="), client: app)
                == .refreshToken("R1", scope: nil))
        #expect(
            try TokenRequest(
                parameters("grant_type=refresh_token&refresh_token=R1&scope=openid++email+openid"), client: app)
                == .refreshToken("R1", scope: ["openid", "email"]))
        #expect(error("grant_type=refresh_token&refresh_token=R1&scope=openid%0Aemail", app) == .invalidScope)
        // RFC 6749 §3.3: at least one token, so "nothing but blanks" is no scope, and nothing that could be granted.
        #expect(error("grant_type=refresh_token&refresh_token=R1&scope=%20", app) == .invalidScope)
    }

    @Test("B044: PKCE parameters beside another grant are ignored, and so is what is unknown") func ignored() throws {
        #expect(
            try TokenRequest(
                parameters("grant_type=refresh_token&refresh_token=R1&client_id=app1&code_verifier=zzz&x=1&x=2"),
                client: Fixture.app1())
                == .refreshToken("R1", scope: nil))
    }

    @Test(
        "§3.2, §5.2: missing, empty and repeated parameters are invalid_request",
        arguments: [
            "", "grant_type=", "code=C1", "grant_type=authorization_code", "grant_type=authorization_code&code=",
            "grant_type=refresh_token",
            "grant_type=refresh_token&refresh_token=",
            "grant_type=refresh_token&grant_type=refresh_token&refresh_token=R1",
            "grant_type=authorization_code&code=C1&code=C1",
            "grant_type=authorization_code&code=C1&code_verifier=&code_verifier=v",
            "grant_type=authorization_code&code=C1&redirect_uri=a&redirect_uri=a",
            "grant_type=refresh_token&refresh_token=R1&refresh_token=R2",
            "grant_type=refresh_token&refresh_token=R1&scope=openid&scope=email",
            "grant_type=refresh_token&refresh_token=R1&client_secret=&client_secret=",
        ])
    func invalid(body: String) throws {
        #expect(error(body, try Fixture.app1()) == .invalidRequest)
    }

    @Test(
        "B023, §5.2: a known grant that is not this client's is unauthorized_client, an unknown name unsupported_grant_type",
        arguments: [
            ("client_credentials", ErrorCode.unauthorizedClient), ("refresh_token", .unauthorizedClient),
            ("password", .unsupportedGrantType),
            ("Authorization_code", .unsupportedGrantType),
            ("urn:ietf:params:oauth:grant-type:device_code", .unsupportedGrantType), ("code", .unsupportedGrantType),
            ("authorization_code ", .unsupportedGrantType),
        ])
    func grants(name: String, expected: ErrorCode) throws {
        // web2 has the code grant only.
        let body = Parameters.encode([("grant_type", name), ("refresh_token", "R1"), ("code", "C1")])
        #expect(error(body, try Fixture.web2()) == expected)
    }
}
