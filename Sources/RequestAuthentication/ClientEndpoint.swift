import HTTP
import JSON
import OpenID
import Postgres
import Storage

/// An endpoint that clients authenticate at with a form. It reads the form, finds out which client sends it, and answers what
/// goes wrong: a refusal with its error, on record when a client that we know is refused; 503 for what could not be found
/// out or recorded.
public struct ClientEndpoint: Sendable {
    private let authentication: ClientAuthentication
    private let audit: AuditStore
    private let refusal: AuditEvent.Kind
    private let logName: StaticString

    /// - Parameters:
    ///   - refusal: what the endpoint's refusals are on record.
    ///   - logName: the same in the log.
    public init(
        authentication: ClientAuthentication, audit: AuditStore, refusal: AuditEvent.Kind, logName: StaticString
    ) {
        self.authentication = authentication
        self.audit = audit
        self.refusal = refusal
        self.logName = logName
    }

    /// - Parameter body: what is done for the client once it is known; throws `OAuthError` for a refusal.
    public func answer(
        _ request: Request, _ body: (Request, Parameters, ClientRecord) async throws -> Response
    ) async -> Response {
        do {
            do {
                let parameters = try request.clientForm()
                // The client, before anything is said about what it asks.
                let client = try await authentication.authenticate(request, parameters)
                return try await perform(body, request, parameters, client)
            } catch let error as OAuthError {
                try await record(error, request)
                return error.response(to: request)
            }
        } catch {
            return request.answer(failure: error)
        }
    }

    private func perform(
        _ body: (Request, Parameters, ClientRecord) async throws -> Response, _ request: Request,
        _ parameters: Parameters, _ client: ClientRecord
    ) async throws -> Response {
        do {
            return try await body(request, parameters, client)
        } catch let error as OAuthError {
            throw error.told(to: client.metadata.clientID)
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
