import JOSE
import OpenID

extension KeyRing {
    /// The one person who will do for an authorization request; nil: anybody.
    /// - Throws: invalid_request for an id_token_hint that is none of ours, login_required when two persons are asked for.
    public func requiredSubject(
        of request: AuthorizationRequest, issuer: Issuer
    ) throws(OAuthError) -> String? {
        guard let hint = request.idTokenHint else { return request.claims.subject }
        let hinted = try subject(ofHint: hint, issuer: issuer)
        guard let asked = request.claims.subject, asked != hinted else { return hinted }
        throw OAuthError(.loginRequired, "id_token_hint and claims ask for two different persons")
    }

    /// Core §3.1.2.1: a hint of ours is honoured whoever its audience is, and also when it has expired. Of all that we sign,
    /// only ID Tokens say when the person signed in; userinfo answers are no hints (RFC 8725 §3.11).
    private func subject(ofHint hint: String, issuer: Issuer) throws(OAuthError) -> String {
        guard let token = VerifiedJWT(hint, key: verificationKey), token.claims["auth_time"] != nil,
            token.claims["iss"]?.stringValue == issuer.description, let subject = token.claims["sub"]?.stringValue
        else { throw OAuthError(.invalidRequest, "id_token_hint is no ID Token of this issuer") }
        return subject
    }
}
