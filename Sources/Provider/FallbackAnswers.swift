import Admin
import HTTP
import JSON
import OpenID
import Pages
import Postgres
import RequestAuthentication

/// What is answered when no feature has an answer: a page for people, JSON for apps.
struct FallbackAnswers: Sendable {
    let issuer: Issuer

    func notFound(_ request: Request) -> Response {
        if isOfAdmin(request) { return Admin.notFound(request) }
        if Self.wantsPage(request) { return Self.page(.notFound, request) }
        return .text(status: 404, "nothing is here\n")
    }

    func methodNotAllowed(_ request: Request) -> Response {
        isOfAdmin(request) ? Admin.methodNotAllowed(request) : .text(status: 405, "Method not allowed\n")
    }

    private func isOfAdmin(_ request: Request) -> Bool {
        request.path.hasPrefix(issuer.path) && Admin.covers(request.path.dropFirst(issuer.path.count))
    }

    /// A handler threw. What could not be asked is 503, never a "no"; what the database said goes to the log only.
    static func failure(_ error: any Error, _ request: Request) -> Response {
        let fault: OAuthError
        if let error = error as? DatabaseError {
            request.log(error)
            fault = OAuthError(error)
        } else {
            request.log(.error, "request.failed", [.init("reason", .string("\(error)"))])
            fault = .failed
        }
        if wantsPage(request) {
            return page(fault.code == .temporarilyUnavailable ? .unavailable : .failure, request)
        }
        return fault.response(to: request)
    }

    private static func page(_ kind: ErrorPage.Kind, _ request: Request) -> Response {
        ErrorPage(kind, requestID: request.id).response(language: .of(request))
    }

    private static func wantsPage(_ request: Request) -> Bool {
        request.headers.all("accept").contains { $0.contains("text/html") }
    }
}
