import Administration
import HTTP
import JSON
import OpenID
import Postgres
import RequestAuthentication
import Storage

extension Admin {
    /// Who calls, and may they? - Throws: `Problem`, or what the database throws.
    func open(_ request: Request, _ area: AdminArea, _ mayDo: (AdminToken) -> Bool) async throws -> Call {
        guard let text = bearerToken(of: request) else {
            throw Problem(.unauthorized, "an admin token is needed: Authorization: Bearer seleid_admin_…")
        }
        guard let hash = tokenSecrets.hash(text), let token = try await tokens.use(hash: hash) else {
            throw Problem(.unauthorized, "the admin token is not known here, has expired or was revoked")
        }
        guard mayDo(token) else {
            throw Problem(
                .forbidden, "the role \(token.role.rawValue) of this token does not reach \(area.rawValue) in this way")
        }
        return Call(request: request, token: token, query: try Query(request.query))
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
