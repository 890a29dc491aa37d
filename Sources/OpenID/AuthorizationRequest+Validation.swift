import ASCII

extension AuthorizationRequest {
    /// Steps 3 and on: every `Rule` in its order; the first that fails is the answer. By now the client and the redirect
    /// URI are proven, so every error goes there.
    ///
    /// `claims_locales`, `resource` and whatever is unknown are ignored (Core §3.1.2.1, RFC 6749 §3.1).
    /// - Throws: an error for the redirect URI.
    public static func validate(
        _ parameters: Parameters, for client: ClientMetadata, at target: AuthorizationTarget, switches: SwitchStates
    ) throws(OAuthError) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            clientID: client.clientID, redirectURI: target.redirectURI, loginHint: loginHint(of: parameters),
            uiLocales: uiLocales(of: parameters), acrValues: acrValues(of: parameters), display: display(of: parameters)
        )
        for rule in Rule.allCases { try rule.check(parameters, for: client, switches: switches, filling: &request) }
        return request
    }

    /// A rule for the parameters behind client_id and redirect_uri. The order of the cases is the order in which they are
    /// asked.
    public enum Rule: String, Sendable, CaseIterable {
        case repeatedParameters = "repeated_parameters"
        case unsupportedParameters = "unsupported_parameters"
        case responseType = "response_type"
        case grantTypes = "grant_types"
        case signIn = "sign_in"
        case responseMode = "response_mode"
        case scope, state, nonce
        case codeChallenge = "code_challenge"
        case prompt
        case maxAge = "max_age"
        case idTokenHint = "id_token_hint"
        case claims

        /// Where it is written.
        public var section: String {
            switch self {
            case .repeatedParameters: "RFC 6749 §3.1"
            case .unsupportedParameters: "Core §3.1.2.6"
            case .responseType: "RFC 6749 §3.1.1"
            case .grantTypes: "RFC 7591 §2"
            case .signIn: "RFC 6749 §4.1.2.1"
            case .responseMode: "OAuth Responses §2.1"
            case .scope: "RFC 6749 §3.3, Core §3.1.2.1"
            case .state: "RFC 6749 §4.1.1"
            case .codeChallenge: "RFC 7636 §4.3"
            case .nonce, .prompt, .maxAge, .idTokenHint: "Core §3.1.2.1"
            case .claims: "Core §5.5"
            }
        }

        /// Asks this rule alone, and sets what it is about in the request.
        /// - Throws: an error for the redirect URI.
        public func check(
            _ parameters: Parameters, for client: ClientMetadata, switches: SwitchStates,
            filling request: inout AuthorizationRequest
        ) throws(OAuthError) {
            switch self {
            case .repeatedParameters: try parameters.refuseRepeats(of: parameterNames)
            case .unsupportedParameters: try refuseUnsupported(parameters)
            case .responseType: try checkResponseType(parameters)
            case .grantTypes: try checkGrantTypes(of: client)
            case .signIn: guard switches.allow(.signIn, for: client) else { throw Switch.signIn.refusal }
            case .responseMode: try checkResponseMode(parameters)
            case .scope: request.scope = try AuthorizationRequest.scope(of: parameters, for: client)
            case .state: request.state = try AuthorizationRequest.state(of: parameters, for: client)
            case .nonce: request.nonce = try AuthorizationRequest.nonce(of: parameters, for: client)
            case .codeChallenge:
                request.codeChallenge = try AuthorizationRequest.codeChallenge(of: parameters, for: client)
            case .prompt: request.prompt = try AuthorizationRequest.prompt(of: parameters)
            case .maxAge: request.maxAge = try AuthorizationRequest.maxAge(of: parameters) ?? client.defaultMaxAge
            case .idTokenHint: request.idTokenHint = try AuthorizationRequest.idTokenHint(of: parameters)
            case .claims: request.claims = try AuthorizationRequest.claims(of: parameters, for: client)
            }
        }
    }

    /// What may not come twice. `resource` may (RFC 8707 §2), and unknown names are ignored.
    public static let parameterNames = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "display", "ui_locales", "claims_locales", "login_hint",
        "id_token_hint", "acr_values", "claims", "request", "request_uri", "registration",
    ]

    /// Ignoring these would ignore what is inside them, state included (Core §6).
    private static func refuseUnsupported(_ parameters: Parameters) throws(OAuthError) {
        if parameters["request"] != nil {
            throw OAuthError(.requestNotSupported, "request objects are not supported")
        }
        if parameters["request_uri"] != nil {
            throw OAuthError(.requestURINotSupported, "request_uri is not supported")
        }
        if parameters["registration"] != nil {
            throw OAuthError(.registrationNotSupported, "registration is not supported")
        }
    }

    private static func checkResponseType(_ parameters: Parameters) throws(OAuthError) {
        guard let responseType = parameters["response_type"] else {
            throw OAuthError(.invalidRequest, "response_type is missing")
        }
        guard responseType == "code" else {
            throw OAuthError(.unsupportedResponseType, "response_type must be code")
        }
    }

    private static func checkGrantTypes(of client: ClientMetadata) throws(OAuthError) {
        guard client.grantTypes.contains(.authorizationCode) else {
            throw OAuthError(.unauthorizedClient, "this client may not use the authorization code grant")
        }
    }

    private static func checkResponseMode(_ parameters: Parameters) throws(OAuthError) {
        guard let mode = parameters["response_mode"], mode != "query" else { return }
        throw OAuthError(.invalidRequest, "response_mode must be query")
    }

    /// Unknown scopes, and those the client may not have, are dropped (Core §3.1.2.1); the token answer then names what
    /// was granted.
    private static func scope(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> [String] {
        let asked = try ScopeList.parse(parameters["scope"] ?? "")
        guard asked.contains(StandardScope.openid.rawValue) else {
            throw OAuthError(.invalidScope, "scope must contain openid")
        }
        return asked.filter { name in
            guard let scope = StandardScope(rawValue: name), client.scope.contains(name) || scope == .openid else {
                return false
            }
            // Core §11: it asks for a refresh token, which this client could never use.
            return scope != .offlineAccess || client.grantTypes.contains(.refreshToken)
        }
    }

    /// RFC 6749 App. A.5 would have printable ASCII; libraries send any text, and it goes back as it came.
    private static func state(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> String? {
        guard let state = parameters["state"] else {
            if client.requiresState { throw OAuthError(.invalidRequest, "state is missing") }
            return nil
        }
        guard state.utf8.count <= stateLimit else {
            throw OAuthError(.invalidRequest, "state must not be longer than \(stateLimit) bytes")
        }
        guard !state.holdsControlCharacters else {
            throw OAuthError(.invalidRequest, "state must not hold control characters")
        }
        return state
    }

    private static func nonce(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> String? {
        guard let nonce = parameters["nonce"] else {
            if client.requiresNonce { throw OAuthError(.invalidRequest, "nonce is missing") }
            return nil
        }
        guard nonce.utf8.count <= nonceLimit else {
            throw OAuthError(.invalidRequest, "nonce must not be longer than \(nonceLimit) bytes")
        }
        guard !nonce.holdsControlCharacters else {
            throw OAuthError(.invalidRequest, "nonce must not hold control characters")
        }
        if let length = client.nonceLength, !length.contains(nonce.unicodeScalars.count) {
            throw OAuthError(
                .invalidRequest, "nonce must have \(length.lowerBound) to \(length.upperBound) characters")
        }
        return nonce
    }

    private static func codeChallenge(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> String? {
        let method = parameters["code_challenge_method"]
        guard let challenge = parameters["code_challenge"] else {
            if method != nil { throw OAuthError(.invalidRequest, "code_challenge is missing beside its method") }
            if client.requiresPKCE { throw OAuthError(.invalidRequest, "code_challenge is missing (PKCE is required)") }
            return nil
        }
        guard let method else {
            // RFC 7636 §4.3: then it is `plain`, which shows the verifier to whoever sees the request.
            throw OAuthError(.invalidRequest, "code_challenge_method is missing, which means plain; it must be S256")
        }
        guard method == "S256" else {
            throw OAuthError(.invalidRequest, "code_challenge_method must be S256")
        }
        guard PKCE.isChallenge(challenge) else {
            throw OAuthError(.invalidRequest, "code_challenge must be 43 base64url characters without padding")
        }
        return challenge
    }

    /// Values are case-sensitive. An unknown one is refused: ignoring `NONE` would show a page to an app that asked for
    /// none, and ignoring a misspelt `login` would skip a sign-in it relies on.
    private static func prompt(of parameters: Parameters) throws(OAuthError) -> Set<Prompt> {
        var prompts: Set<Prompt> = []
        for name in (parameters["prompt"] ?? "").spaceSeparated {
            guard let prompt = Prompt(rawValue: name) else {
                throw OAuthError(
                    .invalidRequest, "prompt may hold only none, login, consent and select_account, in lower case")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw OAuthError(.invalidRequest, "prompt none must stand alone")
        }
        return prompts
    }

    private static func maxAge(of parameters: Parameters) throws(OAuthError) -> Int? {
        guard let text = parameters["max_age"] else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit) else {
            throw OAuthError(.invalidRequest, "max_age must be a whole number of seconds, zero or more")
        }
        return text.utf8.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), maxAgeLimit) }
    }

    /// Not dropped when too long, unlike the hints below: the answer may only be positive for the person it names.
    private static func idTokenHint(of parameters: Parameters) throws(OAuthError) -> String? {
        guard let hint = parameters["id_token_hint"] else { return nil }
        guard hint.utf8.count <= idTokenHintLimit else {
            throw OAuthError(.invalidRequest, "id_token_hint must not be longer than \(idTokenHintLimit) bytes")
        }
        return hint
    }

    /// Claims are had by the scope they belong to, so a claim of a scope that the client may not have is dropped as that
    /// scope would be.
    private static func claims(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> ClaimsRequest {
        guard let text = parameters["claims"] else { return ClaimsRequest() }
        return try ClaimsRequest(parsing: text).limited(to: client.scope)
    }

    // MARK: What never causes an error (Core §3.1.2.1, §15.1)

    private static func loginHint(of parameters: Parameters) -> String? {
        guard let hint = parameters["login_hint"], hint.utf8.count <= 320, !hint.holdsControlCharacters else {
            return nil
        }
        return hint
    }

    private static func uiLocales(of parameters: Parameters) -> [String] {
        let tags = (parameters["ui_locales"] ?? "").spaceSeparated.filter { tag in
            tag.utf8.count <= 35
                && tag.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
        return Array(tags.withoutRepeats().prefix(10))
    }

    private static func acrValues(of parameters: Parameters) -> [String] {
        let values = (parameters["acr_values"] ?? "").spaceSeparated.filter { value in
            value.utf8.count <= 128 && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        return Array(values.withoutRepeats().prefix(10))
    }

    private static func display(of parameters: Parameters) -> String? {
        parameters["display"].flatMap { ["page", "popup", "touch", "wap"].contains($0) ? $0 : nil }
    }
}
