import Testing

@testable import OpenID

@Suite("Where an authorization error goes (RFC 6749 §3.1.2.4, §4.1.2.1)") struct AuthorizationTargetTests {
    private func pageError(_ query: String, _ client: ClientMetadata) throws -> OAuthError {
        let error = try #require(
            #expect(throws: OAuthError.self) { try AuthorizationRequest.target(of: parameters(query), for: client) })
        #expect(error.code == .invalidRequest)
        #expect(isDescription(error.description))
        return error
    }

    @Test(
        "A proven client and redirect URI, whatever else is wrong (B035)",
        arguments: [
            "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&response_type=token&scope=openid&state=s",
            "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&state=s",
            "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&state=s&scope=openid&scope=email&request=x",
        ])
    func proven(query: String) throws {
        #expect(
            try AuthorizationRequest.target(of: parameters(query), for: Fixture.web1())
                == AuthorizationTarget(redirectURI: "https://rp.example/cb", state: "s"))
    }

    @Test(
        "B034, B028, conformance trap 2: an error for a page as long as they are not, whatever else is wrong",
        arguments: [
            (
                "client_id=web1&redirect_uri=https%3A%2F%2Fevil.example%2F&response_type=bogus&state=s",
                "redirect_uri is not registered"
            ),
            (
                "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb%23x&request=eyJ",
                "redirect_uri is not registered"
            ),
            ("client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb%23", "redirect_uri is not registered"),
            (
                "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb%2Fx&request_uri=x",
                "redirect_uri is not registered"
            ),
            ("client_id=web1&redirect_uri=https%253A%252F%252Frp.example%252Fcb", "redirect_uri is not registered"),
            ("client_id=web1&redirect_uri=&response_type=code", "redirect_uri is missing"),
            ("client_id=web1&response_type=code", "redirect_uri is missing"),
            ("redirect_uri=https%3A%2F%2Frp.example%2Fcb", "client_id is missing"),
            ("client_id=&redirect_uri=https%3A%2F%2Frp.example%2Fcb", "client_id is missing"),
            ("", "client_id is missing"),
            ("client_id=nobody&redirect_uri=https%3A%2F%2Frp.example%2Fcb", "client_id names no client"),
        ])
    func unproven(query: String, description: String) throws {
        #expect(try pageError(query, Fixture.web1()).description.hasPrefix(description))
    }

    @Test(
        "B005: client_id or redirect_uri repeated is an error for a page, even the same or empty",
        arguments: [
            "client_id=web1&client_id=app1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&response_type=code&scope=openid&state=s",
            "client_id=web1&client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb",
            "client_id=&client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb",
            "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&redirect_uri=https%3A%2F%2Fevil.example",
            "client_id=web1&redirect_uri=&redirect_uri=https%3A%2F%2Frp.example%2Fcb",
        ])
    func repeated(query: String) throws {
        #expect(try pageError(query, Fixture.web1()).description.hasSuffix("must not be repeated"))
    }

    @Test("Core §3.1.2.1: a missing redirect_uri is not filled in, although only one is registered (B037)")
    func notFilledIn() throws {
        let web = try Fixture.web1()
        #expect(web.redirectURIs.count == 1)
        #expect(
            try pageError("client_id=web1&response_type=code&scope=openid", web).description.contains(
                "redirect_uri is missing"))
    }

    @Test("The state that goes back with an error: only one that came once and within the limit (B016)") func state()
        throws
    {
        let base = "client_id=web1&redirect_uri=https%3A%2F%2Frp.example%2Fcb&"
        func state(_ more: String) throws -> String? {
            try AuthorizationRequest.target(of: parameters(base + more), for: Fixture.web1()).state
        }
        #expect(try state("state=s") == "s")
        #expect(try state("state=") == nil)
        #expect(try state("") == nil)
        #expect(try state("state=s&state=s") == nil)
        #expect(try state("state=&state=s") == nil)
        let longest = String(repeating: "s", count: 4096)
        #expect(try state("state=\(longest)") == longest)
        #expect(try state("state=\(longest)s") == nil)
    }

    @Test(
        "B029: the page and the log say what differs, and repeat nothing of what was sent",
        arguments: [
            ("https://rp.example/cb/", "a trailing slash"), ("https://RP.example/cb", "upper and lower case"),
            ("https://rp.example:443/cb", "its port"),
            ("http://rp.example/cb", "http against https"), ("https://rp.example/c%62", "percent-encoding"),
            ("https://rp.example/cb?secret=hush", "its query"),
            ("https://rp.example/cb#hush", "a fragment"),
        ])
    func hint(uri: String, difference: String) throws {
        let error = try pageError(Parameters.encode([("client_id", "web1"), ("redirect_uri", uri)]), Fixture.web1())
        #expect(
            error.description
                == "redirect_uri is not registered for this client; it differs from a registered one in \(difference)")
        #expect(error.detail == "redirect_uri differs in \(difference) from the registered https://rp.example/cb")
    }

    @Test("There is no hint for what is far away or too long") func noHint() throws {
        for uri in ["https://evil.example/", "https://rp.example/cb" + String(repeating: "/", count: 3000), "\u{301}/"]
        {
            let error = try pageError(
                Parameters.encode([("client_id", "web1"), ("redirect_uri", uri)]), Fixture.web1())
            #expect(error.description == "redirect_uri is not registered for this client")
            #expect(error.detail == nil)
        }
    }
}
