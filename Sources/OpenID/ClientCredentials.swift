import ASCII
import JOSE

/// What a request says about its client, before anything is looked up (RFC 6749 §2.3).
public enum ClientCredentials: Sendable, Equatable {
    case basic(clientID: String, secret: String)
    case post(clientID: String, secret: String)
    /// Only a client_id.
    case none(clientID: String)

    /// Reads them from the header fields and the body. Credentials in the query are never looked at (§2.3.1); refusing
    /// them is the endpoint's matter.
    /// - Parameter authorization: all Authorization header fields.
    /// - Throws: invalid_request (two methods at once, repeated client_id or client_secret, Authorization repeated) or
    ///   invalid_client (no client named, Basic that is no base64 or has no colon or decodes badly, another scheme or
    ///   method, a client_id that no client can have). Basic: base64, split at the first colon, form-decode each half
    ///   (App. B); scheme in any case. A client_id parameter beside Basic must be the same (else invalid_request). An
    ///   empty client_secret counts as missing.
    public init(authorization: [String], parameters: Parameters) throws(OAuthError) {
        guard authorization.count <= 1 else {
            throw OAuthError(.invalidRequest, "the Authorization header must not be repeated")
        }
        try parameters.refuseRepeats(of: ["client_id", "client_secret", "client_assertion", "client_assertion_type"])

        let header = authorization.first
        let secret = parameters["client_secret"]
        let hasAssertion = parameters["client_assertion"] != nil || parameters["client_assertion_type"] != nil
        let methods = (header == nil ? 0 : 1) + (secret == nil ? 0 : 1) + (hasAssertion ? 1 : 0)
        guard methods <= 1 else {
            throw OAuthError(.invalidRequest, "the client must authenticate in one way only")
        }
        if hasAssertion {
            throw OAuthError(.invalidClient, "client assertions are not supported")
        }

        if let header {
            let (clientID, secret) = try ClientCredentials.basic(header)
            if let named = parameters["client_id"], !named.isIdentical(to: clientID) {
                throw OAuthError(.invalidRequest, "client_id differs from the client in the Authorization header")
            }
            self = .basic(clientID: clientID, secret: secret)
            return
        }
        guard let clientID = parameters["client_id"] else {
            throw OAuthError(.invalidClient, "the client must authenticate or send its client_id")
        }
        try ClientCredentials.check(clientID)
        if let secret {
            self = .post(clientID: clientID, secret: secret)
        } else {
            self = .none(clientID: clientID)
        }
    }

    /// Reads one Authorization field of the Basic scheme (RFC 7617 §2, with RFC 6749 §2.3.1's form coding inside).
    private static func basic(_ header: String) throws(OAuthError) -> (clientID: String, secret: String) {
        let field = header.utf8
        let space = field.firstIndex(of: UInt8(ascii: " ")) ?? field.endIndex
        guard field[..<space].map(ASCII.lowercased) == Array("basic".utf8) else {
            throw OAuthError(.invalidClient, "the Authorization header must use the Basic scheme")
        }
        let encoded = Substring(field[space...].drop(while: { $0 == UInt8(ascii: " ") }))
        guard let decoded = Base64.decode(encoded) else {
            throw OAuthError(.invalidClient, "the Basic credentials are not base64")
        }
        guard let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else {
            throw OAuthError(.invalidClient, "the Basic credentials have no colon")
        }
        let clientID: String
        let secret: String
        do {
            clientID = try FormCoding.decode(decoded[..<colon])
            secret = try FormCoding.decode(decoded[(colon + 1)...])
        } catch {
            throw OAuthError(
                .invalidClient,
                "client id and secret in the Basic credentials must be form-urlencoded (RFC 6749 section 2.3.1)")
        }
        try check(clientID)
        guard !secret.isEmpty else { throw OAuthError(.invalidClient, "the Basic credentials have no secret") }
        return (clientID, secret)
    }

    /// A client_id that no registration would take names no client: nobody needs to look it up.
    private static func check(_ clientID: String) throws(OAuthError) {
        guard ClientMetadata.isClientID(clientID) else { throw OAuthError(.invalidClient, "there is no such client") }
    }
}
