import Administration
import HTTP
import JSON
import OpenID
import Postgres
import RequestAuthentication
import Storage

extension Admin {
    /// Who calls, and may they?
    ///
    /// Says 401 for all that is no live token of ours, and no more: an OAuth client's secret or an access token is none. What
    /// is refused to a live token goes on record; what anybody can invent is only logged.
    /// - Throws: `Problem`, or what the database throws.
    func open(_ request: Request, _ access: Access) async throws -> Call {
        guard let text = bearerToken(of: request) else {
            throw Problem(.unauthorized, "an admin token is needed: Authorization: Bearer seleid_admin_…")
        }
        guard let hash = tokenSecrets.hash(text), let token = try await tokens.use(hash: hash) else {
            request.log(.info, "admin.token_unknown", [.init("address", .string(request.clientAddress))])
            var problem = Problem(.unauthorized, "the admin token is not known here, has expired or was revoked")
            problem.bearerError = "invalid_token"
            throw problem
        }
        guard access.isGranted(to: token) else {
            let area = access.area?.rawValue ?? ""
            throw try await refusal(
                of: request, access, token, "the token may not \(access.isChange ? "change" : "read") \(area)")
        }
        return Call(
            request: request, access: access, token: token,
            query: try Query(request.query, isChange: access.isChange),
            ifMatch: try EntityTags("If-Match", of: request.headers),
            ifNoneMatch: try EntityTags("If-None-Match", of: request.headers))
    }

    /// What a live token may not do, after it has gone on record.
    func refusal(
        of request: Request, _ access: Access, _ token: AdminToken, _ reason: String
    ) async throws -> Problem {
        // The path as it is described, not as it was sent: what stands in its place could be anything.
        let event = AuditEvent(
            .adminRefused, by: token.actor, from: request.origin,
            detail: [
                .init("reason", .string(reason)), .init("role", .string(token.role.rawValue)),
                .init("method", .string(access.method.name)), .init("path", .string(Self.base + access.path)),
            ])
        try await audit.recordRefusal(event)
        let areas = token.areas.map { ", areas " + $0.map(\.rawValue).joined(separator: " ") } ?? ""
        var problem = Problem(.forbidden, "\(reason) (role \(token.role.rawValue)\(areas))")
        problem.bearerError = "insufficient_scope"
        return problem
    }

    private func bearerToken(of request: Request) -> String? {
        let fields = request.headers.all("authorization")
        guard fields.count == 1 else { return nil }
        let parts = fields[0].split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// Turns what is thrown into a problem document (RFC 9457).
    func answer(_ request: Request, _ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch let problem as Problem {
            return problem.response(to: request)
        } catch let error as AdministrationError {
            return Problem(error).response(to: request)
        } catch let error as DatabaseError {
            request.log(error)
            return Problem(error).response(to: request)
        } catch {
            request.log(.error, "admin.failed", [.init("reason", .string("\(error)"))])
            return Problem(.failure, "the service has failed").response(to: request)
        }
    }
}

/// A route, and what its callers need.
struct Access: Sendable {
    let method: Method
    /// With braces.
    let path: String
    /// nil: any live token will do.
    let area: AdminArea?
    let isChange: Bool

    func isGranted(to token: AdminToken) -> Bool {
        guard let area else { return true }
        return isChange ? token.mayChange(area) : token.mayRead(area)
    }
}

extension AdminToken {
    var actor: AuditEvent.Actor { .adminToken("\(id) \(name)") }
}
