import Administration
import HTTP
import JSON
import OpenID
import Postgres

/// A problem document (RFC 9457): what is wrong with a request, field by field where that is known.
struct Problem: Error {
    enum Kind: String {
        case badRequest = "bad-request"
        case invalid = "invalid"
        case unauthorized, forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case conflict
        case hasChanged = "has-changed"
        case wrongMediaType = "wrong-media-type"
        case unavailable
        case failure

        var status: Int {
            switch self {
            case .badRequest: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .conflict: 409
            case .hasChanged: 412
            case .wrongMediaType: 415
            case .invalid: 422
            case .failure: 500
            case .unavailable: 503
            }
        }

        var title: String {
            switch self {
            case .badRequest: "The request cannot be understood"
            case .invalid: "The request breaks rules"
            case .unauthorized: "An admin token is needed"
            case .forbidden: "The admin token does not reach so far"
            case .notFound: "There is no such thing"
            case .methodNotAllowed: "This cannot be done with it"
            case .conflict: "It cannot be done as things are"
            case .hasChanged: "It has been changed meanwhile"
            case .wrongMediaType: "The body is of another type"
            case .unavailable: "The service cannot answer just now"
            case .failure: "The service has failed"
            }
        }
    }

    let kind: Kind
    let detail: String
    var fields: [ClientMetadata.Problem] = []
    /// The code of RFC 6750 §3.1 that goes with it; a request without a token gets none.
    var bearerError: String?

    init(_ kind: Kind, _ detail: String, fields: [ClientMetadata.Problem] = []) {
        self.kind = kind
        self.detail = detail
        self.fields = fields
    }

    init(_ error: AdministrationError) {
        switch error {
        case .notFound(let text): self.init(.notFound, text)
        case .conflict(let text): self.init(.conflict, text)
        case .hasChanged:
            self.init(.hasChanged, "it is not what If-Match or If-None-Match takes it for; read it again")
        case .invalid(let problems): self.init(invalid: problems)
        }
    }

    init(invalid problems: [ClientMetadata.Problem]) {
        self.init(.invalid, problems.first.map(\.description) ?? "", fields: problems)
    }

    /// One member of a body breaks a rule.
    static func field(_ name: String, _ reason: String) -> Problem {
        Problem(invalid: [.init(field: name, reason: reason)])
    }

    /// What the database said is for the log only.
    init(_ error: DatabaseError) {
        switch error {
        case .unavailable:
            self.init(
                .unavailable, "the database cannot be asked; if this was to change something, look whether it did")
        case .refused: self.init(.failure, "the service has failed")
        }
    }

    func response(to request: Request) -> Response {
        var members: [JSON.Member] = [
            .init("type", .string("urn:seleid:problem:\(kind.rawValue)")), .init("title", .string(kind.title)),
            .init("status", .integer(Int64(kind.status))), .init("detail", .string(detail)),
            .init("request_id", .string(request.id)),
        ]
        if !fields.isEmpty {
            let errors = fields.map {
                JSON.object([.init("field", .string($0.field)), .init("reason", .string($0.reason))])
            }
            members.append(.init("errors", .array(errors)))
        }
        var response = Response.json(status: kind.status, JSON.object(members).serialized())
        response.headers.set("Content-Type", "application/problem+json")
        switch kind {
        case .unauthorized, .forbidden:
            let error = bearerError.map { ", error=\"\($0)\"" } ?? ""
            response.headers.set("WWW-Authenticate", "Bearer realm=\"seleid-admin\"\(error)")
        case .unavailable: response.headers.set("Retry-After", "2")
        default: break
        }
        return response
    }
}
