import HTTP
import OpenID

extension Request {
    /// What never may stand in a URI, which stands in logs and histories.
    private static let secrets = [
        "client_secret", "client_assertion", "code", "code_verifier", "refresh_token", "access_token", "token",
        "password",
    ]

    /// The form that a client sends to an endpoint it authenticates at (RFC 6749 §3.2, App. B).
    /// - Throws: invalid_request for another body, and for credentials in the URI (§2.3.1).
    public func clientForm() throws(OAuthError) -> Parameters {
        guard mediaType == "application/x-www-form-urlencoded" else {
            throw OAuthError(.invalidRequest, "the body has to be application/x-www-form-urlencoded")
        }
        try refuseSecretsInQuery()
        do {
            return try Parameters(formEncoded: body)
        } catch {
            throw OAuthError(.invalidRequest, error.description)
        }
    }

    private func refuseSecretsInQuery() throws(OAuthError) {
        guard let query else { return }
        // What cannot be read may hold a secret too.
        guard let parameters = try? Parameters(formEncoded: Array(query.utf8)) else {
            throw OAuthError(.invalidRequest, "the query of the URI cannot be read")
        }
        guard Self.secrets.allSatisfy({ parameters[$0] == nil }) else {
            throw OAuthError(.invalidRequest, "credentials must not be in the URI")
        }
    }
}
