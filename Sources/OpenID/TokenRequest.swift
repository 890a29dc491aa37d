/// What came to the token endpoint, after the rules that need no storage (RFC 6749 §4.1.3, §6).
public enum TokenRequest: Sendable, Equatable {
    case authorizationCode(code: String, redirectURI: String?, codeVerifier: String?)
    /// `scope` is nil when none was asked: the same as before (§6).
    case refreshToken(String, scope: [String]?)

    /// - Throws: invalid_request (missing or repeated parameter), unsupported_grant_type (unknown name),
    ///   unauthorized_client (known, but not this client's), invalid_scope (bad characters). An ill-formed
    ///   code_verifier is not judged here: it is a wrong one.
    public init(_ parameters: Parameters, client: ClientMetadata) throws(OAuthError) {
        try parameters.refuseRepeats(of: TokenRequest.parameterNames)
        guard let name = parameters["grant_type"] else {
            throw OAuthError(.invalidRequest, "grant_type is missing")
        }
        guard let grantType = GrantType(rawValue: name) else {
            // RFC 6749 §4.4 is a grant this vocabulary knows, and no client may use it; §5.2 has a code for just that.
            if name == "client_credentials" { throw TokenRequest.notAllowed }
            throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
        }
        guard client.grantTypes.contains(grantType) else { throw TokenRequest.notAllowed }

        switch grantType {
        case .authorizationCode:
            guard let code = parameters["code"] else { throw OAuthError(.invalidRequest, "code is missing") }
            self = .authorizationCode(
                code: code, redirectURI: parameters["redirect_uri"], codeVerifier: parameters["code_verifier"])
        case .refreshToken:
            guard let token = parameters["refresh_token"] else {
                throw OAuthError(.invalidRequest, "refresh_token is missing")
            }
            var scope: [String]?
            if let asked = parameters["scope"] {
                scope = try ScopeList.parse(asked)
                // §3.3 has at least one token; "nothing" is no scope.
                if scope?.isEmpty == true { throw OAuthError(.invalidScope, "scope is blank") }
            }
            self = .refreshToken(token, scope: scope)
        }
    }

    private static let parameterNames = [
        "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id", "client_secret",
    ]

    private static var notAllowed: OAuthError {
        OAuthError(.unauthorizedClient, "this client may not use this grant_type")
    }
}
