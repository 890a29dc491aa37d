extension AuthorizationRequest {
    /// Step 1: who asks.
    /// - Throws: for a page: no or repeated client_id, or one that no client can have.
    public static func clientID(of parameters: Parameters) throws(OAuthError) -> String {
        try parameters.refuseRepeats(of: ["client_id"])
        guard let clientID = parameters["client_id"] else {
            throw OAuthError(.invalidRequest, "client_id is missing")
        }
        guard ClientMetadata.isClientID(clientID) else {
            throw OAuthError(.invalidRequest, "client_id names no client")
        }
        return clientID
    }

    /// Steps 1 and 2: who asks, and where may answers go. Until both are proven the error belongs on a page (RFC 6749
    /// §3.1.2.4, §4.1.2.1), and no other step comes before them.
    ///
    /// A missing redirect_uri is an error even when just one is registered: RFC 6749 §3.1.2.3 would let it be filled
    /// in, but Core §3.1.2.1 requires it, and every request here has to be an OpenID one. So the token request always
    /// has to name it too.
    /// - Throws: for a page: no or repeated client_id or redirect_uri, or a redirect URI that is not registered.
    public static func target(
        of parameters: Parameters, for client: ClientMetadata
    ) throws(OAuthError) -> AuthorizationTarget {
        guard try clientID(of: parameters).isIdentical(to: client.clientID) else {
            throw OAuthError(.invalidRequest, "client_id names no client")
        }
        try parameters.refuseRepeats(of: ["redirect_uri"])
        guard let redirectURI = parameters["redirect_uri"] else {
            throw OAuthError(.invalidRequest, "redirect_uri is missing (OpenID Connect Core section 3.1.2.1)")
        }
        guard client.accepts(redirectURI: redirectURI) else {
            let hint = RedirectURIMismatch.explain(redirectURI, registered: client.redirectURIs)
            throw OAuthError(
                .invalidRequest,
                "redirect_uri is not registered for this client" + (hint.map { "; \($0.forDeveloper)" } ?? ""),
                detail: hint?.forLog)
        }
        return AuthorizationTarget(redirectURI: redirectURI, state: stateToReturn(from: parameters))
    }

    /// The state that an error may carry back: one that came twice or is too long is not to be trusted to be the
    /// client's.
    private static func stateToReturn(from parameters: Parameters) -> String? {
        guard !parameters.repeated.contains("state"), let state = parameters["state"] else { return nil }
        return state.utf8.count <= stateLimit ? state : nil
    }
}
