import Foundation
import Testing

@testable import OpenID

@Suite("The answer's URL (RFC 6749 §3.1.2, §4.1.2; RFC 9207 §2)") struct AuthorizationAnswerTests {
    private let issuer = "https://id.example/t1"

    private func url(_ redirectURI: String, state: String? = nil) -> String {
        AuthorizationTarget(redirectURI: redirectURI, state: state).url(
            answering: [("code", "C1")], issuer: issuer)
    }

    @Test(
        "Parameters follow the URI's own query, which stays as it is",
        arguments: [
            ("https://rp.example/cb", "https://rp.example/cb?code=C1"),
            ("https://rp2.example/cb?tenant=7", "https://rp2.example/cb?tenant=7&code=C1"),
            ("https://rp.example/cb?", "https://rp.example/cb?code=C1"),
            ("https://rp.example/cb?a=b&", "https://rp.example/cb?a=b&code=C1"),
            ("https://rp.example/cb?a=%22+b", "https://rp.example/cb?a=%22+b&code=C1"),
            ("com.example.app:/seleid", "com.example.app:/seleid?code=C1"),
            ("https://rp.example", "https://rp.example?code=C1"),
            ("http://[::1]:61023/cb", "http://[::1]:61023/cb?code=C1"),
            // B038: the host stays as it was sent.
            ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb?code=C1"),
        ])
    func placement(redirectURI: String, start: String) {
        #expect(url(redirectURI) == start + "&iss=https%3A%2F%2Fid.example%2Ft1")
        #expect(url(redirectURI, state: "s") == start + "&state=s&iss=https%3A%2F%2Fid.example%2Ft1")
    }

    @Test("B116: iss and state are in error answers too") func error() {
        let target = AuthorizationTarget(redirectURI: "https://rp.example/cb", state: "s")
        #expect(
            target.url(
                answering: [("error", "login_required"), ("error_description", "a person is needed")], issuer: issuer)
                == "https://rp.example/cb?error=login_required&error_description=a%20person%20is%20needed&state=s&iss=https%3A%2F%2Fid.example%2Ft1"
        )
    }

    @Test(
        "B017: state comes back as it was sent, for form decoders and plain URI decoders alike",
        arguments: [
            "a+b c&d=e%f", "{\"k\":\"\u{E9}\"}", "-._~", "%25", "a%2Bb", "\u{1F600}", "#/?x", "'\"<>\\", " ", "+",
            "e\u{301}",
        ])
    func state(state: String) throws {
        let url = url("https://rp.example/cb?x=1", state: state)
        #expect(
            url.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E && $0 != 0x27 && $0 != 0x5C
            })
        let query = try #require(url.split(separator: "?", maxSplits: 1).last)
        let form = try #require(try Parameters(formEncoded: query.utf8)["state"])
        #expect(Array(form.utf8) == Array(state.utf8))
        let items = try #require(URLComponents(string: url)?.queryItems)
        let plain = try #require(items.first { $0.name == "state" }?.value)
        #expect(Array(plain.utf8) == Array(state.utf8))
    }

    @Test("A state of every Unicode plane's edges survives") func edges() throws {
        let state = String(
            String.UnicodeScalarView([
                "\u{20}", "\u{7E}", "\u{A0}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
                "\u{10FFFF}",
            ]))
        let query = try #require(url("https://rp.example/cb", state: state).split(separator: "?", maxSplits: 1).last)
        #expect(try Parameters(formEncoded: query.utf8)["state"].map { Array($0.utf8) } == Array(state.utf8))
    }
}
