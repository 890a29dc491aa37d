import Testing

@testable import OpenID

@Suite("Redirect-URI matching (Core §3.1.2.1, RFC 8252 §7.3, RFC 9700 §2.1)") struct RedirectURIMatchingTests {
    private func native(_ uris: String...) throws -> ClientMetadata {
        try registered(uris, type: "native")
    }

    private func registered(_ uris: [String], type: String) throws -> ClientMetadata {
        let list = uris.map { "\"\($0)\"" }.joined(separator: ", ")
        return try client(
            """
            {"client_id": "x", "client_name": "X", "application_type": "\(type)",
             "token_endpoint_auth_method": "none", "redirect_uris": [\(list)]}
            """)
    }

    @Test("The registered ones are accepted as they are") func same() throws {
        let app = try Fixture.app1()
        for uri in app.redirectURIs { #expect(app.accepts(redirectURI: uri)) }
        #expect(try Fixture.web2().accepts(redirectURI: "https://rp2.example/cb?tenant=7"))
    }

    @Test(
        "B029: trailing slash, host case, default port, query and fragment make another URI",
        arguments: [
            "https://rp.example/cb/", "https://RP.example/cb", "https://rp.example:443/cb", "HTTPS://rp.example/cb",
            "https://rp.example/cb?", "https://rp.example/cb?a=b", "https://rp.example/cb#", "https://rp.example/cb#x",
            "https://rp.example/CB", "https://rp.example//cb", "https://rp.example/c%62", "https://rp.example/cb ",
            " https://rp.example/cb", "http://rp.example/cb", "https://rp.example/cb/x", "https://rp.example/",
            "https://rp.example", "",
            "https://rp.example/cb\n", "https://rp.example/./cb", "rp.example/cb", "/cb",
        ])
    func exact(uri: String) throws {
        #expect(try !Fixture.web1().accepts(redirectURI: uri))
    }

    @Test("Swift's canonical equivalence is not byte equality") func canonicalEquivalence() throws {
        let app = try registered(["https://rp.example/K;x"], type: "web")
        #expect("https://rp.example/\u{212A}\u{37E}x" == "https://rp.example/K;x")
        #expect(!app.accepts(redirectURI: "https://rp.example/\u{212A}\u{37E}x"))
        let loopback = try native("http://127.0.0.1/K")
        #expect(loopback.accepts(redirectURI: "http://127.0.0.1:9/K"))
        #expect(!loopback.accepts(redirectURI: "http://127.0.0.1:9/\u{212A}"))
    }

    @Test(
        "B032: wildcards, user information, path parameters and look-alike hosts get nowhere",
        arguments: [
            "https://rp.example/cb/..;/admin", "https://a@b@rp.example/cb", "https://rp.example.evil.example/cb",
            #"https://rp.example\@evil.example/cb"#,
            "https://rp.example/*", "https://*.example/cb", "https://rp.example@evil.example/cb",
            "https://evil.example/https://rp.example/cb",
            "javascript:alert(1)//https://rp.example/cb",
        ])
    func bypasses(uri: String) throws {
        #expect(try !Fixture.web1().accepts(redirectURI: uri))
    }

    @Test(
        "B040: an escape in the registered URI is not normalised on either side",
        arguments: [
            ("https://rp.example/a%2Fb", true), ("https://rp.example/a/b", false), ("https://rp.example/a%2fb", false),
            ("https://rp.example/a%252Fb", false),
        ])
    func escapes(uri: String, accepted: Bool) throws {
        let app = try registered(["https://rp.example/a%2Fb"], type: "web")
        #expect(app.accepts(redirectURI: uri) == accepted)
        let read = try parameters("redirect_uri=\(Parameters.encode([("", uri)]).dropFirst())")
        #expect(app.accepts(redirectURI: try #require(read["redirect_uri"])) == accepted)
    }

    @Test(
        "B025, RFC 8252 §7.3: any port of a native app's loopback address",
        arguments: [
            "http://127.0.0.1:51004/cb", "http://[::1]:61023/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb",
            "http://127.0.0.1:80/cb",
            "http://127.0.0.1/cb", "http://[::1]/cb",
        ])
    func loopbackPort(uri: String) throws {
        #expect(try Fixture.app1().accepts(redirectURI: uri))
    }

    @Test(
        "B026, B157: what is not exactly a loopback address with a port is refused",
        arguments: [
            "http://evil@127.0.0.1:9/cb", "http://127.0.0.1.evil.example:9/cb", "http://127.0.0.1:9/cb/../x",
            "http://localhost:9/cb",
            "https://127.0.0.1:9/cb", "http://127.1:9/cb", "http://127.0.0.1:9@evil.example/cb",
            "http://127.0.0.1:@evil.example/cb",
            "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:123456/cb", "http://127.0.0.1:/cb",
            "http://127.0.0.1:09/cb", "http://127.0.0.1:+9/cb", "http://127.0.0.1:-9/cb", "http://127.0.0.1: 9/cb",
            "http://127.0.0.1:9 /cb",
            "http://127.0.0.1:9a/cb", "http://127.0.0.1:0x9/cb", "http://127.0.0.1:9:9/cb",
            "http://127.0.0.1:\u{0661}/cb",
            "http://127.0.0.1:18446744073709551625/cb", "http://127.0.0.1:9/cb/", "http://127.0.0.1:9/CB",
            "http://127.0.0.1:9/cb?x=1",
            "http://127.0.0.1:9/cb#", "http://127.0.0.1:9/cb#x", "http://127.0.0.1:9/", "http://127.0.0.1:9",
            "http://127.0.0.1:9\\@evil.example/cb",
            "HTTP://127.0.0.1:9/cb", "http:/127.0.0.1:9/cb", "http://127.0.0.2:9/cb", "http://127.0.0.01:9/cb",
            "http://2130706433:9/cb",
            "http://0x7f.0.0.1:9/cb", "http://0.0.0.0:9/cb", "http://[::1]:9@evil.example/cb", "http://::1:9/cb",
            "http://[0:0:0:0:0:0:0:1]:9/cb",
            "http://[::ffff:127.0.0.1]:9/cb", "http://[::1%25lo]:9/cb", "http://[::1].evil.example:9/cb",
            "http://[::1]9/cb", "http://127.0.0.19/cb",
            "http://127.0.0.1%3A9/cb", "http://127.0.0.1:9\n/cb", "http://127.0.0.1:9%2Fcb", "com.example.app:9/cb",
            "http://127.0.0.1:9/cb\0",
        ])
    func loopbackTooWide(uri: String) throws {
        #expect(try !Fixture.app1().accepts(redirectURI: uri))
    }

    @Test(
        "Path and query behind the port are exact; IPv4 and IPv6 do not stand for each other",
        arguments: [
            ("http://127.0.0.1:9/cb?tenant=7", true), ("http://127.0.0.1/cb?tenant=7", true),
            ("http://127.0.0.1:9/cb", false),
            ("http://127.0.0.1:9/cb?tenant=8", false), ("http://[::1]:9/cb?tenant=7", false),
            ("http://127.0.0.1:9/cb?tenant=7&x", false),
        ])
    func loopbackQuery(uri: String, accepted: Bool) throws {
        #expect(try native("http://127.0.0.1:8000/cb?tenant=7").accepts(redirectURI: uri) == accepted)
    }

    @Test(
        "A registered port varies as well; so does a URI without a path",
        arguments: [
            ("http://[::1]:9", true), ("http://[::1]", true), ("http://[::1]:9/", false), ("http://[::1]:", false),
        ])
    func registeredPort(uri: String, accepted: Bool) throws {
        #expect(try native("http://[::1]:8000").accepts(redirectURI: uri) == accepted)
    }

    @Test("localhost is no loopback address: registered, it is exact (RFC 8252 §8.3)") func localhost() throws {
        let app = try native("http://localhost:8000/cb", "http://127.0.0.1/cb")
        #expect(app.accepts(redirectURI: "http://localhost:8000/cb"))
        #expect(!app.accepts(redirectURI: "http://localhost:8001/cb"))
        #expect(!app.accepts(redirectURI: "http://localhost/cb"))
    }

    @Test("Ports do not vary for web clients (conformance trap 3) nor under https or private-use schemes")
    func onlyNativeLoopback() throws {
        let web = try registered(["http://127.0.0.1:9801/cb"], type: "web")
        #expect(web.accepts(redirectURI: "http://127.0.0.1:9801/cb"))
        #expect(!web.accepts(redirectURI: "http://127.0.0.1:9802/cb"))
        #expect(!web.accepts(redirectURI: "http://127.0.0.1/cb"))
        let app = try native("https://app.example/cb", "com.example.app://host/cb", "https://127.0.0.1/cb")
        #expect(!app.accepts(redirectURI: "https://app.example:8443/cb"))
        #expect(!app.accepts(redirectURI: "com.example.app://host:9/cb"))
        #expect(!app.accepts(redirectURI: "https://127.0.0.1:9/cb"))
    }

    /// What accepting means, said once more in another way: cut the port out and compare.
    private func fits(_ uri: String, _ app: ClientMetadata) -> Bool {
        let bytes = Array(uri.utf8)
        if app.redirectURIs.contains(where: { Array($0.utf8) == bytes }) { return true }
        for (registered, host) in [("http://127.0.0.1/cb", "http://127.0.0.1:"), ("http://[::1]/cb", "http://[::1]:")] {
            guard bytes.starts(with: host.utf8) else { continue }
            let rest = bytes.dropFirst(host.utf8.count)
            guard let slash = rest.firstIndex(of: 0x2F), Array(rest[slash...]) == Array("/cb".utf8) else { continue }
            let digits = String(decoding: rest[..<slash], as: UTF8.self)
            if let port = UInt16(digits), port > 0, String(port) == digits, app.redirectURIs.contains(registered) {
                return true
            }
        }
        return false
    }

    @Test("Fuzz: accepted means equal, or a loopback address with a legal port put in") func fuzzing() throws {
        let app = try Fixture.app1()
        let inputs =
            app.redirectURIs + [
                "http://127.0.0.1:51004/cb", "http://[::1]:61023/cb", "http://127.0.0.1:9@evil.example/cb",
            ]
        fuzz(inputs, rounds: 60_000) { bytes in
            let uri = String(decoding: bytes, as: UTF8.self)
            if app.accepts(redirectURI: uri) != fits(uri, app) { Issue.record("\(uri)") }
        }
    }
}
