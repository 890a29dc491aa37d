/// What came to the token endpoint, after the rules that need no storage (RFC 6749 §4.1.3, §6).
public enum TokenRequest: Sendable, Equatable {
    case authorizationCode(code: String, redirectURI: String?, codeVerifier: String?)
    /// `scope` is nil when none was asked: the same as before (§6).
    case refreshToken(String, scope: [String]?)

    /// - Throws: invalid_request (missing or repeated parameter), unsupported_grant_type (unknown name),
    ///   unauthorized_client (known, but not this client's), invalid_scope (bad characters). An ill-formed
    ///   code_verifier is not judged here: it is a wrong one.
    public init(_ parameters: Parameters, client: ClientMetadata) throws(OAuthError) {
        try TokenRequest.refuseRepeats(parameters)
        let grantType = try TokenRequest.grantType(of: parameters)
        try TokenRequest.allow(grantType, to: client)
        switch grantType {
        case .authorizationCode:
            self = .authorizationCode(
                code: try TokenRequest.code(of: parameters), redirectURI: parameters["redirect_uri"],
                codeVerifier: parameters["code_verifier"])
        case .refreshToken:
            self = .refreshToken(
                try TokenRequest.refreshToken(of: parameters), scope: try TokenRequest.scope(of: parameters))
        }
    }

    // MARK: The steps, in their order

    public static func refuseRepeats(_ parameters: Parameters) throws(OAuthError) {
        try parameters.refuseRepeats(of: parameterNames)
    }

    public static func grantType(of parameters: Parameters) throws(OAuthError) -> GrantType {
        guard let name = parameters["grant_type"] else {
            throw OAuthError(.invalidRequest, "grant_type is missing")
        }
        guard let grantType = GrantType(rawValue: name) else {
            // RFC 6749 §4.4 is a grant this vocabulary knows, and no client may use it; §5.2 has a code for just that.
            if name == "client_credentials" { throw notAllowed }
            throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token")
        }
        return grantType
    }

    public static func allow(_ grantType: GrantType, to client: ClientMetadata) throws(OAuthError) {
        guard client.grantTypes.contains(grantType) else { throw notAllowed }
    }

    public static func code(of parameters: Parameters) throws(OAuthError) -> String {
        guard let code = parameters["code"] else { throw OAuthError(.invalidRequest, "code is missing") }
        return code
    }

    public static func refreshToken(of parameters: Parameters) throws(OAuthError) -> String {
        guard let token = parameters["refresh_token"] else {
            throw OAuthError(.invalidRequest, "refresh_token is missing")
        }
        return token
    }

    /// nil when none is asked.
    public static func scope(of parameters: Parameters) throws(OAuthError) -> [String]? {
        guard let asked = parameters["scope"] else { return nil }
        let scope = try ScopeList.parse(asked)
        // §3.3 has at least one token; "nothing" is no scope.
        guard !scope.isEmpty else { throw OAuthError(.invalidScope, "scope is blank") }
        return scope
    }

    private static let parameterNames = [
        "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id", "client_secret",
    ]

    private static var notAllowed: OAuthError {
        OAuthError(.unauthorizedClient, "this client may not use this grant_type")
    }

    // MARK: What storage says (RFC 6749 §5.2): no more than that it is so, since anybody may ask

    public static let badCode = OAuthError(
        .invalidGrant, "the code is wrong, expired, used, or not for this request")
    public static let badRefreshToken = OAuthError(
        .invalidGrant, "the refresh token is wrong, expired, used or revoked")
    public static let widerScope = OAuthError(.invalidScope, "the scope is wider than what was granted")
}
