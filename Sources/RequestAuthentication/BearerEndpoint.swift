import HTTP
import JSON
import OpenID

/// An endpoint that takes access tokens (RFC 6750) and can be switched off. It finds out what the token is worth, and answers
/// what goes wrong: a refusal with its challenge; 503 for what could not be found out.
public struct BearerEndpoint: Sendable {
    private let authentication: BearerAuthentication
    private let switches: Switches
    private let feature: Switch
    private let logName: StaticString

    /// - Parameter logName: what the endpoint's refusals are in the log.
    public init(
        _ feature: Switch, authentication: BearerAuthentication, switches: Switches, logName: StaticString
    ) {
        self.authentication = authentication
        self.switches = switches
        self.feature = feature
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
            let access = try await authentication.authenticate(request, withClaims: withClaims)
            try await allow(access)
            return try await body(access)
        } catch let refusal as BearerRefusal {
            request.log(.info, logName, refusal.logFields)
            return refusal.response(adding: members(refusal))
        } catch {
            return request.answer(failure: error)
        }
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
