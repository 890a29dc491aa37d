extension Parameters {
    /// The token that a revocation or an introspection is about (RFC 7009 §2.1, RFC 7662 §2.1). What `token_type_hint` says
    /// is not needed: our tokens say themselves what they are, and a wrong hint must not matter.
    /// - Throws: invalid_request when it is missing or repeated.
    public func tokenInQuestion() throws(OAuthError) -> String {
        try refuseRepeats(of: ["token", "token_type_hint"])
        guard let token = self["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        return token
    }
}
