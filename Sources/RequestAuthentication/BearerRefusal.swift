import HTTP
import JSON
import OpenID
import Storage

/// Why a request with an access token is refused (RFC 6750 §3).
public enum BearerRefusal: Error, Sendable {
    /// No token came: the one answer without an error code.
    case missing
    /// It came in a way that RFC 6750 does not have.
    case malformed(String)
    /// No access token of ours, or one of a grant that is not there any more.
    case unknownToken
    case tokenExpired(clientID: String)
    /// This token was ended, its grant was not.
    case tokenRevoked(clientID: String)
    /// What it came from is over.
    case grantEnded(GrantStanding.End, clientID: String)
    /// The token is good and does not reach so far; for insufficient_scope, the scope that would.
    case forbidden(OAuthError, scope: String?, clientID: String)

    /// nil for `missing`.
    public var error: OAuthError? {
        switch self {
        case .missing: nil
        case .malformed(let description): OAuthError(.invalidRequest, description)
        case .unknownToken: OAuthError(.invalidToken, "the access token is not known here")
        case .tokenExpired: OAuthError(.invalidToken, "the access token has expired")
        case .tokenRevoked: OAuthError(.invalidToken, "the access token was revoked")
        case .grantEnded: OAuthError(.invalidToken, "the sign-in behind the access token has ended")
        case .forbidden(let error, _, _): error
        }
    }

    /// The registered client whose token it is, for logs; nil when that is not known.
    public var clientID: String? {
        switch self {
        case .missing, .malformed, .unknownToken: nil
        case .tokenExpired(let clientID), .tokenRevoked(let clientID), .grantEnded(_, let clientID),
            .forbidden(_, _, let clientID):
            clientID
        }
    }

    /// Why, and whose token it was, for the log.
    var logFields: [JSON.Member] {
        var fields: [JSON.Member] = [
            .init("reason", .string(error?.description ?? "no access token came"))
        ]
        if let error { fields.append(.init("error", .string(error.code.rawValue))) }
        if let clientID { fields.append(.init("client_id", .string(clientID))) }
        if case .grantEnded(let end, _) = self { fields.append(.init("detail", .string(end.word))) }
        return fields
    }

    /// The answer with its challenge, and the error in a JSON body too.
    /// - Parameter more: further members of the body.
    public func response(adding more: [JSON.Member] = []) -> Response {
        var challenge = "Bearer realm=\"seleid\""
        guard let error else {
            var response = Response.text(status: 401, "an access token is needed\n")
            response.headers.set("WWW-Authenticate", challenge)
            return response
        }
        challenge += ", error=\"\(error.code.rawValue)\", error_description=\"\(error.description)\""
        if case .forbidden(_, let scope?, _) = self { challenge += ", scope=\"\(scope)\"" }
        var body = JSONObjectWriter()
        body.add("error", error.code.rawValue)
        body.add("error_description", error.description)
        for member in more { body.add(member.name, member.value) }
        var response = Response.json(status: Self.status(of: error.code), body.finish())
        response.headers.set("WWW-Authenticate", challenge)
        return response
    }

    private static func status(of code: ErrorCode) -> Int {
        switch code {
        case .invalidToken: 401
        case .insufficientScope: 403
        default: 400
        }
    }
}
