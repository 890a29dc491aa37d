import Testing

@testable import OpenID

@Suite("Redirect-URI registration (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.6)") struct RedirectURIRegistrationTests {
    private func reason(_ uri: String, _ type: ApplicationType) -> String? {
        RedirectURIRules.reason(against: uri, applicationType: type)
    }

    @Test(
        "May be registered by web and native apps",
        arguments: [
            "https://rp.example/cb", "https://rp.example", "https://rp.example/", "https://rp.example:8443/cb",
            "https://rp.example/cb?tenant=7",
            "https://rp.example/cb?a=%22x", "https://rp.example/a%2Fb", "http://127.0.0.1/cb",
            "http://127.0.0.1:9801/cb?tenant=7",
            "http://[::1]/cb", "http://localhost:3000/cb", "https://localhost:9806/cb",
            "https://xn--bcher-kva.example/cb", "https://[2001:db8::1]/cb",
            "https://rp.example/..;x/cb", "https://rp.example/cb?state_of_mind=1",
        ])
    func both(uri: String) {
        #expect(reason(uri, .web) == nil)
        #expect(reason(uri, .native) == nil)
    }

    @Test(
        "B031, RFC 8252 §7.1: private-use schemes, for native apps only",
        arguments: [
            "com.example.my-app:/cb", "com.example.my+app:/cb", "com.example.app:/", "com.example.app://callback",
            "com.example.app:/seleid?x=1", "Com.Example.App:/cb",
        ])
    func privateUse(uri: String) {
        #expect(reason(uri, .native) == nil)
        #expect(reason(uri, .web)?.contains("native") == true)
    }

    @Test(
        "Refused for all, with the reason",
        arguments: [
            // B031
            ("com.example.my_app:/cb", "scheme"), ("1app:/cb", "scheme"), ("myapp:/cb", "dot"), (":/cb", "scheme"),
            ("com.example.app:cb", "slash"),
            ("com.example.app:", "slash"), (".com.example:/cb", "scheme"),
            // B028
            ("https://rp.example/cb#x", "fragment"), ("https://rp.example/cb#", "fragment"),
            ("com.example.app:/cb#x", "fragment"),
            // B032, RFC 9700 §2.1
            ("https://*.example/cb", "wildcards"), ("https://rp.example/*", "wildcards"),
            ("https://a@b@rp.example/cb", "user information"),
            ("https://a@rp.example/cb", "user information"), (#"https://rp.example\@evil.example/cb"#, "backslash"),
            ("https://rp.example/../cb", "segments"),
            ("https://rp.example/%2E%2e/cb", "segments"), ("https://rp.example/.", "segments"),
            // RFC 6749 §3.1.2: absolute
            ("", "absolute"), ("/cb", "absolute"), ("rp.example/cb", "absolute"), ("//rp.example/cb", "absolute"),
            ("https:/rp.example/cb", "host"),
            ("https:///cb", "host"), ("https:rp.example", "host"), ("https://", "host"), ("https://:8443/cb", "host"),
            // characters
            ("https://rp.example/c b", "spaces"), ("https://rp.example/cb\n", "control"),
            ("https://rp.example/\u{0}", "control"),
            ("https://rp.example/\u{7F}", "control"), ("https://rp.example/\u{E9}", "ASCII"),
            ("https://b\u{FC}cher.example/cb", "ASCII"),
            ("https://rp.example/cb?a=\"x", "RFC 3986"), ("https://rp.example/<x>", "RFC 3986"),
            ("https://rp.example/cb?a[]=1", "["),
            ("https://rp.example/%", "escape"), ("https://rp.example/%4", "escape"),
            ("https://rp.example/%zz", "escape"),
            // RFC 9700 §2.6: http on loopback only
            ("http://rp.example/cb", "https"), ("http://10.0.0.1/cb", "https"), ("http://127.0.0.2/cb", "https"),
            ("http://127.1/cb", "https"),
            ("http://localhost.evil.example/cb", "https"), ("http://LOCALHOST/cb", "https"),
            ("HTTPS://rp.example/cb", "lower case"),
            ("HTTP://127.0.0.1/cb", "lower case"),
            // ports
            ("https://rp.example:0/cb", "port"), ("https://rp.example:65536/cb", "port"),
            ("https://rp.example:/cb", "port"), ("https://rp.example:x/cb", "port"),
            ("https://rp.example:0443/cb", "port"), ("https://[::1]x/cb", "port"), ("https://[::1/cb", "IPv6"),
            ("https://::1/cb", "host"),
            // hosts
            ("https://rp..example/cb", "empty label"), ("https://.example/cb", "empty label"),
            ("https://rp.example%2Eevil.example/cb", "host"),
            // the answer's own parameters
            ("https://rp.example/cb?code=1", "code"), ("https://rp.example/cb?a=b&state", "state"),
            ("https://rp.example/cb?i%73s=x", "iss"),
            ("https://rp.example/cb?error=x", "error"),
            ("https://rp.example/" + String(repeating: "a", count: 2000), "2000"),
        ])
    func refused(uri: String, reason: String) {
        for type in [ApplicationType.web, .native] {
            let said = self.reason(uri, type)
            if type == .web && ["dot", "slash"].contains(reason) {
                #expect(said?.contains("native") == true)
            } else {
                #expect(said?.contains(reason) == true, "\(said ?? "accepted")")
            }
        }
    }

    @Test(
        "Schemes that a browser acts on are never a redirect URI",
        arguments: [
            "javascript:alert(1)", "JavaScript://rp.example/%0Aalert(1)", "data:text/html,x", "file:///etc/passwd",
            "vbscript:x", "about:blank", "blob:https://rp.example/x",
            "intent://x#Intent;end", "filesystem:https://x/y", "view-source:https://x", "ftp://rp.example/cb",
            "ws://rp.example/cb", "mailto:a@rp.example",
            "tel:1", "urn:ietf:wg:oauth:2.0:oob", "ms-appx-web://x/y",
        ])
    func dangerous(uri: String) {
        #expect(reason(uri, .native) != nil)
        #expect(reason(uri, .web) != nil)
    }

    @Test("Fuzz: what may be registered is plain ASCII, has no fragment, and names its host or a scheme with a dot")
    func fuzzing() {
        fuzz([
            "https://rp.example:8443/cb?tenant=7", "com.example.app:/cb", "http://127.0.0.1:9801/cb", "http://[::1]/cb",
        ]) { bytes in
            let uri = String(decoding: bytes, as: UTF8.self)
            guard reason(uri, .native) == nil else { return }
            let isPlain = uri.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"#*\"<>^`{|}"#.utf8.contains($0) }
            let scheme = uri.prefix { $0 != ":" }
            let isHTTP =
                uri.hasPrefix("https://")
                || ["127.0.0.1", "[::1]", "localhost"].contains { host in
                    ["", ":", "/", "?"].contains {
                        uri == "http://\(host)\($0)" || (!$0.isEmpty && uri.hasPrefix("http://\(host)\($0)"))
                    }
                }
            if !isPlain || !(isHTTP || scheme.contains(".")) { Issue.record("\(uri)") }
            if isHTTP, uri.split(separator: "/")[1].contains("@") { Issue.record("\(uri)") }
            if reason(uri, .web) == nil && !isHTTP { Issue.record("\(uri)") }
        }
    }

    @Test("Duplicates, an empty list and too many are refused; each bad one is named by its place") func lists() throws
    {
        func list(_ uris: String) throws -> [String] {
            try problems(#"{"client_id": "x", "client_name": "X", "redirect_uris": \#(uris)}"#)
        }
        #expect(try list(#"["https://a.example/cb", "https://a.example/cb/"]"#) == [])
        #expect(
            try list(#"["https://a.example/cb", "https://a.example/cb"]"#) == [
                "redirect_uris: must not name anything twice"
            ])
        #expect(try list("[]") == ["redirect_uris: must name at least one"])
        #expect(try list(#""https://a.example/cb""#) == ["redirect_uris: must be an array of strings"])
        #expect(try list("[1]") == ["redirect_uris: must be an array of strings"])
        #expect(
            try list(#"["https://a.example/cb", "https://a.example/cb#x"]"#) == [
                "redirect_uris[1]: must not have a fragment (#)"
            ])
        let many = (1...101).map { "\"https://a.example/\($0)\"" }.joined(separator: ",")
        #expect(try list("[\(many)]") == ["redirect_uris: must not have more than 100 entries"])
        #expect(try problems(#"{"client_id": "x", "client_name": "X"}"#) == ["redirect_uris: must name at least one"])
    }
}
