import Testing

@testable import OpenID

@Suite("Errors (RFC 6749 §4.1.2.1, §5.2; Core §3.1.2.6)") struct OAuthErrorTests {
    @Test("The registered codes, spelled as registered") func codes() {
        #expect(
            ErrorCode.allCases.map(\.rawValue) == [
                "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
                "unsupported_response_type", "invalid_scope", "invalid_token", "insufficient_scope", "access_denied",
                "server_error", "temporarily_unavailable", "interaction_required",
                "unmet_authentication_requirements", "login_required", "account_selection_required", "consent_required",
                "request_not_supported", "request_uri_not_supported", "registration_not_supported",
            ])
    }

    @Test(
        "Conformance trap 4: a description never holds a quote, a backslash or anything but printable ASCII",
        arguments: [
            ("plain text, 100%.", "plain text, 100%."), ("say \"no\"", "say 'no'"), (#"a\b"#, "a?b"), ("a\nb", "a?b"),
            ("caf\u{E9}", "caf?"), ("\u{201C}x\u{201D}", "?x?"),
            ("a\r\nb", "a??b"), ("", ""),
        ])
    func description(given: String, shown: String) {
        #expect(OAuthError(.invalidRequest, given).description == shown)
    }
}
