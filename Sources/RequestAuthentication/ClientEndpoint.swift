import HTTP
import JSON
import OpenID
import Postgres
import Storage

/// How an endpoint that clients authenticate at answers what goes wrong: a refusal with its error, on record when a client
/// that we know is refused; 503 for what could not be found out or recorded.
public struct ClientEndpoint: Sendable {
    private let audit: AuditStore
    private let refusal: AuditEvent.Kind
    private let logName: StaticString

    /// - Parameters:
    ///   - refusal: what the endpoint's refusals are on record.
    ///   - logName: the same in the log.
    public init(audit: AuditStore, refusal: AuditEvent.Kind, logName: StaticString) {
        self.audit = audit
        self.refusal = refusal
        self.logName = logName
    }

    /// - Parameter body: throws `OAuthError` for a refusal, told to its client once that is known.
    public func answer(_ request: Request, _ body: (Request) async throws -> Response) async -> Response {
        do {
            do {
                return try await body(request)
            } catch let error as OAuthError {
                try await record(error, request)
                return error.response(to: request)
            }
        } catch let error as DatabaseError {
            request.log(error)
            return OAuthError(error).response(to: request)
        } catch {
            // No key to sign with, or a record that cannot be read: nothing may be concluded.
            request.log(.error, "request.unavailable", [.init("reason", .string("\(error)"))])
            return OAuthError.unavailable.response(to: request)
        }
    }

    private func record(_ error: OAuthError, _ request: Request) async throws(DatabaseError) {
        request.log(.info, logName, error.fields + (error.clientID.map { [.init("client_id", .string($0))] } ?? []))
        guard let clientID = error.clientID else { return }
        // Who fails to authenticate has only named the client.
        let actor: AuditEvent.Actor = error.code == .invalidClient ? .anonymous : .client(clientID)
        try await audit.recordRefusal(
            AuditEvent(refusal, by: actor, from: request.origin, clientID: clientID, detail: error.fields))
    }
}
