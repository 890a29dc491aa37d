import HTTP
import JSON
import OpenID
import Storage

/// An endpoint that takes access tokens (RFC 6750) and can be switched off. It finds out what the token is worth, and answers
/// what goes wrong: a refusal with its challenge; 503 for what could not be found out or recorded.
///
/// On record is who reaches for what the client may not have. Tokens that have run out are traffic, and what ended them is
/// on record already.
public struct BearerEndpoint: Sendable {
    private let authentication: BearerAuthentication
    private let switches: Switches
    private let audit: AuditStore
    private let feature: Switch
    private let refusal: AuditEvent.Kind
    private let logName: StaticString

    /// - Parameters:
    ///   - refusal: what the endpoint's refusals are on record.
    ///   - logName: the same in the log.
    public init(
        _ feature: Switch, authentication: BearerAuthentication, switches: Switches, audit: AuditStore,
        refusal: AuditEvent.Kind, logName: StaticString
    ) {
        self.authentication = authentication
        self.switches = switches
        self.audit = audit
        self.feature = feature
        self.refusal = refusal
        self.logName = logName
    }

    /// - Parameters:
    ///   - withClaims: whether the person's claims are wanted too.
    ///   - members: what the JSON of a refusal says beside the error.
    ///   - body: what is done for a good token; throws `BearerRefusal` if it does not reach so far.
    public func answer(
        _ request: Request, withClaims: Bool = false, adding members: (BearerRefusal) -> [JSON.Member] = { _ in [] },
        _ body: (BearerAccess) async throws -> Response
    ) async -> Response {
        do {
            do {
                let access = try await authentication.authenticate(request, withClaims: withClaims)
                try await allow(access)
                return try await body(access)
            } catch let refusal as BearerRefusal {
                request.log(.info, logName, refusal.logFields)
                try await record(refusal, request)
                return refusal.response(adding: members(refusal))
            }
        } catch {
            return request.answer(failure: error)
        }
    }

    private func record(_ refusal: BearerRefusal, _ request: Request) async throws {
        guard case .forbidden(let error, _, let clientID) = refusal else { return }
        try await audit.recordRefusal(
            AuditEvent(
                self.refusal, by: .client(clientID), from: request.origin, clientID: clientID, detail: error.fields))
    }

    private func allow(_ access: BearerAccess) async throws {
        let client = access.client.metadata
        do {
            try await switches.require(feature, for: client)
        } catch let error as OAuthError {
            throw BearerRefusal.forbidden(error, scope: nil, clientID: client.clientID)
        }
    }
}
