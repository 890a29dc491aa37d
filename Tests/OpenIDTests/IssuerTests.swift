import Testing

@testable import OpenID

@Suite("Issuer (Discovery §3, RFC 8414 §2)") struct IssuerTests {
    @Test(
        "Accepted issuers, taken apart",
        arguments: [
            ("https://id.example", "", "https://id.example", true),
            ("https://id.example/t1", "/t1", "https://id.example", true),
            ("https://id.example:8443/a/b.c_d~e-f", "/a/b.c_d~e-f", "https://id.example:8443", true),
            ("http://127.0.0.1:9000", "", "http://127.0.0.1:9000", false),
            ("http://localhost:9000/t1", "/t1", "http://localhost:9000", false),
            ("http://[::1]:9000", "", "http://[::1]:9000", false),
            ("https://[2001:db8::1]", "", "https://[2001:db8::1]", true),
            ("https://10.0.0.5", "", "https://10.0.0.5", true),
            ("https://localhost", "", "https://localhost", true),
        ])
    func accepted(text: String, path: String, origin: String, isSecure: Bool) throws {
        let issuer = try Issuer(text)
        #expect(issuer.description == text)
        #expect(issuer.path == path)
        #expect(issuer.origin == origin)
        #expect(issuer.isSecure == isSecure)
        #expect(issuer.url("/authorize") == text + "/authorize")
    }

    @Test(
        "Refused issuers, with the reason",
        arguments: [
            ("", "absolute"), ("id.example", "absolute"), ("//id.example", "absolute"), ("https:id.example", "host"),
            ("https://", "host"),
            ("https:///t1", "host"), ("http://id.example", "https"), ("http://127.0.0.2", "https"),
            ("http://localhost.example", "https"), ("ftp://id.example", "https://"), ("HTTPS://id.example", "https://"),
            ("https://ID.example", "lower case"), ("https://id.example/", "slash"), ("https://id.example/t1/", "slash"),
            ("https://id.example?x=1", "query"), ("https://id.example?", "query"), ("https://id.example#x", "fragment"),
            ("https://id.example#", "fragment"), ("https://a@id.example", "user information"),
            ("https://id.example:443", "default port"), ("http://localhost:80", "default port"),
            ("https://id.example:0", "port"), ("https://id.example:65536", "port"), ("https://id.example:", "port"),
            ("https://id.example:08443", "port"), ("https://id.example:+1", "port"),
            ("https://id.example/a//b", "segments"),
            ("https://id.example/../b", "segments"), ("https://id.example/.", "segments"),
            ("https://id.example/%7Eme", "path"),
            ("https://id.example/a b", "spaces"), ("https://id.example/\n", "control"),
            ("https://\u{E9}.example", "ASCII"),
            ("https://id..example", "empty label"), ("https://*.example", "wildcard"), ("https://[::1", "IPv6"),
            ("https://[1:2]", "IPv6"), ("https://[::1]x", "port"), ("https://[g::1]", "IPv6"),
            ("https://id.example\\t1", "backslash"),
            ("https://" + String(repeating: "a", count: 250), "255"),
        ])
    func refused(text: String, reason: String) {
        let problem = #expect(throws: Issuer.Problem.self) { try Issuer(text) }
        #expect(problem?.description.contains(reason) == true, "\(problem?.description ?? "")")
    }

    @Test(
        "IPv6 literals (RFC 4291 §2.2)",
        arguments: [
            ("[::]", true), ("[::1]", true), ("[1::]", true), ("[1::8]", true), ("[1:2:3:4:5:6:7:8]", true),
            ("[1:2:3:4:5:6:7::]", true), ("[::2:3:4:5:6:7:8]", true), ("[1:2:3:4:5:6:7]", false),
            ("[1:2:3:4:5:6:7:8:9]", false),
            ("[1::2::3]", false), ("[:::]", false), ("[:1]", false), ("[1:]", false), ("[]", false),
            ("[12345::]", false),
            ("[1:2:3:4::5:6:7:8]", false), ("[::%25eth0]", false), ("[:::1]", false), ("[1:::]", false), ("[:]", false),
        ])
    func ipv6(host: String, accepted: Bool) {
        #expect(((try? Issuer("https://\(host)")) != nil) == accepted)
    }
}
