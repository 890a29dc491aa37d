import HTTP
import Interaction
import Issuance
import JOSE
import JSON
import OpenID
import Pages
import Postgres
import RequestAuthentication
import Storage

/// The authorization endpoint (RFC 6749 §3.1, Core §3.1.2): checks what an app asks, and sends its person on.
public struct Authorize: Sendable {
    private static let path = "/authorize"
    private static let continuePath = "/authorize/continue"

    private let issuer: Issuer
    private let directory: ClientDirectory
    private let clients: ClientStore
    private let sessions: BrowserSessions
    private let interactions: Interactions
    private let switches: Switches
    private let keyRing: KeyRing
    private let now: Now

    public init(
        issuer: Issuer, directory: ClientDirectory, clients: ClientStore, sessions: BrowserSessions,
        interactions: Interactions, switches: Switches, keyRing: KeyRing, now: @escaping Now
    ) {
        self.issuer = issuer
        self.directory = directory
        self.clients = clients
        self.sessions = sessions
        self.interactions = interactions
        self.switches = switches
        self.keyRing = keyRing
        self.now = now
    }

    /// No CORS: this is a place for people, not for scripts (RFC 9700 §2.6).
    public var routes: [Route] {
        [
            Route(.get, Self.path) { request in try await authorize(request, Array((request.query ?? "").utf8)) },
            Route(.post, Self.path) { request in
                guard request.mediaType == "application/x-www-form-urlencoded" else {
                    return errorPage("the request is not form-encoded", request)
                }
                return try await authorize(request, request.body)
            },
            Route(.get, Self.continuePath) { request in try await resume(request) },
        ]
    }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] {
        [
            .init("authorization_endpoint", .string(issuer.url(Self.path))),
            .init("response_types_supported", .array([.string("code")])),
            .init("response_modes_supported", .array([.string("query")])),
            .init("prompt_values_supported", .array(Prompt.allCases.map { .string($0.rawValue) })),
            .init("display_values_supported", .array([.string("page")])),
            .init("ui_locales_supported", .array(Language.allCases.map { .string($0.rawValue) })),
            .init("code_challenge_methods_supported", .array([.string("S256")])),
            .init("authorization_response_iss_parameter_supported", .bool(true)),
            .init("claims_parameter_supported", .bool(true)),
            .init("request_parameter_supported", .bool(false)),
            .init("request_uri_parameter_supported", .bool(false)),
            .init("require_request_uri_registration", .bool(false)),
        ]
    }

    private func authorize(_ request: Request, _ encoded: [UInt8]) async throws -> Response {
        let parameters: Parameters
        do { parameters = try Parameters(formEncoded: encoded) } catch { return errorPage(error.description, request) }

        // Who asks, and where may the answer go? Until both are proven, errors stay on our page.
        let clientID: String
        do { clientID = try AuthorizationRequest.clientID(of: parameters) } catch {
            return errorPage(error.description, request)
        }
        guard let client = try await directory.find(clientID, in: clients) else {
            return errorPage("the client is not known here", request)
        }
        guard client.isEnabled else {
            return try await interactions.refuseOnPage(
                OAuthError(.invalidRequest, "the client is disabled"), client, request)
        }
        let target: AuthorizationTarget
        do {
            target = try AuthorizationRequest.target(of: parameters, for: client.metadata)
        } catch {
            return try await interactions.refuseOnPage(error, client, request)
        }

        // From here errors go to the app.
        do {
            return try await authorize(request, parameters, client, at: target)
        } catch let error as DatabaseError {
            request.log(error)
            return interactions.answer(OAuthError(error), at: target, client, request)
        }
    }

    private func authorize(
        _ request: Request, _ parameters: Parameters, _ client: ClientRecord, at target: AuthorizationTarget
    ) async throws -> Response {
        do {
            var valid = try AuthorizationRequest.validate(
                parameters, for: client.metadata, at: target, switches: try await switches.states())
            let subject = try keyRing.requiredSubject(of: valid, issuer: issuer)
            // Said by the subject from here on: URLs must stay short.
            valid.idTokenHint = nil
            valid.claims.subject = nil
            return try await begin(valid, requiredSubject: subject, client, request)
        } catch let error as OAuthError {
            return try await interactions.refuse(error, at: target, client, request)
        }
    }

    private func begin(
        _ valid: AuthorizationRequest, requiredSubject: String?, _ client: ClientRecord, _ request: Request
    ) async throws -> Response {
        if request.method == .post {
            // A form from another site comes without our cookies (SameSite=Lax). The GET that this leads to has them, and
            // binds the request to its browser: a mark made here would take the place of the one that other tabs rely on.
            let pending = PendingAuthorization(
                browser: PendingAuthorization.anyBrowser, startedAt: now(), request: valid,
                requiredSubject: requiredSubject)
            return .redirect("\(issuer.url(Self.continuePath))?request=\(interactions.seal(pending))")
        }
        return try await start(client, request) { browser in
            PendingAuthorization(
                browser: browser, startedAt: now(), request: valid, requiredSubject: requiredSubject)
        }
    }

    /// Goes on with a POST. Until now it was nobody's, as a link to this endpoint is.
    private func resume(_ request: Request) async throws -> Response {
        guard let parameters = try? Parameters(formEncoded: Array((request.query ?? "").utf8)),
            let pending = parameters["request"].flatMap({
                interactions.open($0, browser: PendingAuthorization.anyBrowser)
            })
        else { return errorPage(kind: .expired, request) }
        guard let client = try await directory.find(pending.request.clientID, in: clients) else {
            return errorPage(kind: .badRequest, request)
        }
        if let refusal = try await interactions.refuseIfChanged(pending, client, switches, request) { return refusal }
        return try await start(client, request, pending.bound(to:))
    }

    /// Binds the request to the browser that shows it, which gets a mark if it has none, and goes on.
    private func start(
        _ client: ClientRecord, _ request: Request, _ bind: ([UInt8]) -> PendingAuthorization
    ) async throws -> Response {
        if let browser = sessions.browser(request) { return try await proceed(bind(browser), client, request) }
        let mark = sessions.markBrowser()
        var response = try await proceed(bind(mark.browser), client, request)
        response.headers.add("Set-Cookie", mark.cookie)
        return response
    }

    private func proceed(
        _ pending: PendingAuthorization, _ client: ClientRecord, _ request: Request
    ) async throws -> Response {
        let visitor = try await sessions.visitor(request, clientID: client.metadata.clientID)
        let step = interactions.next(pending, client, visitor)
        return try await interactions.take(step, pending, client, visitor, request)
    }

    // MARK: Errors on our page

    /// For requests of which no known client can be told.
    private func errorPage(_ description: String, _ request: Request) -> Response {
        let error = OAuthError(.invalidRequest, description)
        request.log(.info, "authorization.rejected", error.fields)
        return ErrorPage(.badRequest, code: error.code.rawValue, description: error.description, requestID: request.id)
            .response(language: .of(request))
    }

    private func errorPage(kind: ErrorPage.Kind, _ request: Request) -> Response {
        ErrorPage(kind, requestID: request.id).response(language: .of(request))
    }
}
