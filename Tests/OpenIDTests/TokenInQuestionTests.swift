import Testing

@testable import OpenID

@Suite("The token a revocation or introspection is about (RFC 7009 §2.1, RFC 7662 §2.1)") struct TokenInQuestionTests {
    @Test(
        "Whatever the hint says, the token is the token",
        arguments: [
            "", "&token_type_hint=refresh_token", "&token_type_hint=", "&token_type_hint=x%20y", "&other=1&other=2",
        ])
    func token(more: String) throws {
        #expect(try parameters("token=a%2Bb\(more)").tokenInQuestion() == "a+b")
    }

    @Test(
        "Missing, empty and repeated: invalid_request",
        arguments: ["", "token=", "Token=a", "token=a&token=a", "token=a&token_type_hint=x&token_type_hint=x"])
    func invalid(form: String) throws {
        let form = try parameters(form)
        let error = #expect(throws: OAuthError.self) { try form.tokenInQuestion() }
        #expect(error?.code == .invalidRequest)
    }
}
