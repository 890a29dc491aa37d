import Testing

@testable import OpenID

@Suite("PKCE (RFC 7636)") struct PKCETests {
    @Test("App. B: the published pair") func vector() {
        #expect(PKCE.challenge(for: Fixture.verifier) == Fixture.challenge)
    }

    @Test(
        "§4.1, B043: a verifier has 43 to 128 characters",
        arguments: [
            (0, false), (1, false), (42, false), (43, true), (44, true), (127, true), (128, true), (129, false),
        ])
    func verifierLength(count: Int, accepted: Bool) {
        let verifier = String(repeating: "a", count: count)
        #expect(PKCE.isVerifier(verifier) == accepted)
        #expect((PKCE.challenge(for: verifier) != nil) == accepted)
    }

    @Test("§4.1: a verifier holds unreserved characters only; every ASCII byte") func verifierAlphabet() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in UInt8(0)...0x7F {
            let verifier = String(repeating: "a", count: 42) + String(UnicodeScalar(byte))
            #expect(PKCE.isVerifier(verifier) == allowed.contains(byte), "byte \(byte)")
        }
        #expect(!PKCE.isVerifier(String(repeating: "a", count: 42) + "\u{212A}"))
        #expect(!PKCE.isVerifier(String(repeating: "\u{E9}", count: 43)))
    }

    @Test(
        "§4.2, B043: a challenge is exactly 43 base64url characters",
        arguments: [(42, false), (43, true), (44, false), (128, false)])
    func challengeLength(count: Int, accepted: Bool) {
        #expect(PKCE.isChallenge(String(repeating: "A", count: count)) == accepted)
    }

    @Test(
        "§4.2: padding, standard base64 and other characters are no challenge",
        arguments: ["=", "+", "/", ".", "~", " ", "\u{E9}", "\n"])
    func challengeAlphabet(character: String) {
        #expect(!PKCE.isChallenge(String(Fixture.challenge.dropLast()) + character))
    }
}
