import OpenID

extension AuthorizationRequest.Rule {
    /// What is registered or demanded, as far as this rule looks at it.
    func registered(for client: ClientMetadata, switches: SwitchStates) -> [String] {
        switch self {
        case .repeatedParameters: ["each at most once"]
        case .unsupportedParameters: ["none of request, request_uri, registration"]
        case .responseType: ["code"]
        case .grantTypes: client.grantTypes.map(\.rawValue)
        case .signIn: Switch.signIn.registered(for: client, switches: switches)
        case .responseMode: ["query, or none"]
        case .scope: ["\(client.scope.joined(separator: " "))"]
        case .state: [demand(client.requiresState, "at most \(AuthorizationRequest.stateLimit) bytes")]
        case .nonce:
            [
                demand(
                    client.requiresNonce,
                    client.nonceLength.map { "\($0.lowerBound) to \($0.upperBound) characters" }
                        ?? "at most \(AuthorizationRequest.nonceLimit) bytes")
            ]
        case .codeChallenge: [demand(client.requiresPKCE, "43 base64url characters, S256")]
        case .prompt: ["none alone, or of login, consent, select_account"]
        case .maxAge: client.defaultMaxAge.map { ["default_max_age \($0)"] } ?? ["whole seconds, or none"]
        case .idTokenHint: ["at most \(AuthorizationRequest.idTokenHintLimit) bytes, or none"]
        case .claims: ["a JSON object of at most \(ClaimsRequest.limit) bytes, or none"]
        }
    }

    private func demand(_ isRequired: Bool, _ rest: String) -> String {
        "\(isRequired ? "required" : "optional"), \(rest)"
    }

    /// nil: nothing.
    func sent(in parameters: Parameters) -> String? {
        switch self {
        case .repeatedParameters:
            names(parameters.repeated.intersection(AuthorizationRequest.parameterNames).sorted())
        case .unsupportedParameters:
            names(["request", "request_uri", "registration"].filter { parameters[$0] != nil })
        case .signIn: nil
        case .grantTypes: GrantType.authorizationCode.rawValue
        case .codeChallenge:
            names(
                ["code_challenge", "code_challenge_method"].compactMap { name in
                    Shown.value(name, of: parameters).map { "\(name): \($0)" }
                })
        default: Shown.value(rawValue, of: parameters)
        }
    }

    private func names(_ list: [String]) -> String? { list.isEmpty ? nil : list.joined(separator: ", ") }

    /// What is worth knowing when the rule lets the request pass.
    func remark(on parameters: Parameters, granted request: AuthorizationRequest) -> String? {
        guard self == .scope, let sent = parameters["scope"] else { return nil }
        let dropped = sent.split(separator: " ").map(String.init).filter { !request.scope.contains($0) }
        guard !dropped.isEmpty else { return nil }
        return "Left out, because it is not there or not for this client: \(Shown.cut(dropped.joined(separator: " ")))."
    }

    /// What to do when it refuses.
    var advice: String {
        switch self {
        case .repeatedParameters: "Send each parameter once."
        case .unsupportedParameters: "Send the parameters themselves, not inside a request object."
        case .responseType: "Send response_type=code; there is no implicit or hybrid flow here."
        case .grantTypes: "Add authorization_code to the client's grant_types."
        case .signIn: "An admin has to switch it on: the client's sign_in, or the switch sign_in for all clients."
        case .responseMode: "Leave response_mode out: the answer comes in the query."
        case .scope: "Send scope with openid in it and blanks between the names."
        case .state: "Send a new random state with each request, and compare it when it comes back."
        case .nonce: "Send a new random nonce with each request, and compare it with the ID Token's."
        case .codeChallenge:
            "Send code_challenge, the base64url SHA-256 of a new code_verifier, and code_challenge_method=S256."
        case .prompt: "Send prompt=none alone, or any of login, consent and select_account with blanks between."
        case .maxAge: "Send max_age as a whole number of seconds, or leave it out."
        case .idTokenHint: "Send an ID Token of this server as it was received, or leave id_token_hint out."
        case .claims: "Send claims as Core §5.5 has it: an object with userinfo and id_token, each an object."
        }
    }
}

extension Switch {
    /// How it stands, for all and for the client.
    func registered(for client: ClientMetadata, switches: SwitchStates) -> [String] {
        let own = client.setting(of: self).map { $0 ? "on" : "off" } ?? "not set"
        return ["switch \(rawValue): \(switches[self].rawValue)", "of this client: \(own)"]
    }
}
