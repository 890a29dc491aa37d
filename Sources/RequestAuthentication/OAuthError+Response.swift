import HTTP
import JSON
import OpenID
import Postgres

extension OAuthError {
    /// The error as an endpoint for apps answers it (RFC 6749 §5.2): 401 for invalid_client, with a challenge when the client
    /// used the Authorization header; 503 with `Retry-After` for what we could not find out; 500 for our own faults; 400 else.
    public func response(to request: Request) -> Response {
        var body = JSONObjectWriter()
        body.add("error", code.rawValue)
        body.add("error_description", description)
        var response = Response.json(status: status, body.finish())
        response.headers.set("Pragma", "no-cache")
        if code == .invalidClient, request.headers["authorization"] != nil {
            response.headers.set("WWW-Authenticate", "Basic realm=\"seleid\", charset=\"UTF-8\"")
        }
        if status == 503 { response.headers.set("Retry-After", "2") }
        return response
    }

    /// Of HTTP, at an endpoint for apps.
    public var status: Int {
        switch code {
        case .invalidClient: 401
        case .temporarilyUnavailable: 503
        case .serverError: 500
        default: 400
        }
    }

    /// The error as it stands in the log and on record.
    public var fields: [JSON.Member] {
        let fields: [JSON.Member] = [.init("error", .string(code.rawValue)), .init("reason", .string(description))]
        return fields + (detail.map { [.init("detail", .string($0))] } ?? [])
    }

    /// What we could not find out just now. Never a "no".
    public static let unavailable = OAuthError(.temporarilyUnavailable, "the service cannot answer just now, try again")

    /// A fault of ours.
    public static let failed = OAuthError(.serverError, "the service has failed")

    /// What an app gets to hear of it: not what the database said.
    public init(_ error: DatabaseError) {
        self =
            switch error {
            case .unavailable: .unavailable
            case .refused: .failed
            }
    }
}

extension Request {
    /// The answer of an endpoint for apps that could not find out what it had to: a database out of reach, no key to sign with, a
    /// record that cannot be read. Nothing may be concluded from it.
    func answer(failure error: any Error) -> Response {
        if let error = error as? DatabaseError {
            log(error)
            return OAuthError(error).response(to: self)
        }
        log(.error, "request.unavailable", [.init("reason", .string("\(error)"))])
        return OAuthError.unavailable.response(to: self)
    }

    /// What the database said; it goes nowhere else.
    public func log(_ error: DatabaseError) {
        let event: StaticString =
            switch error {
            case .unavailable: "database.unavailable"
            case .refused: "database.refused"
            }
        log(.error, event, [.init("reason", .string(error.detail))])
    }
}
