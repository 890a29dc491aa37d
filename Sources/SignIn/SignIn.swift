import Argon2
import HTTP
import Interaction
import Issuance
import JSON
import OpenID
import Pages
import RequestAuthentication
import Storage

/// The pages between an authorization request and its answer: sign in, choose the account, consent.
public struct SignIn: Sendable {
    /// How a password sign-in is called in tokens.
    public static let acr = AuthenticationContext.password
    static let amr = ["pwd"]

    let issuer: Issuer
    let directory: ClientDirectory
    let clients: ClientStore
    let accounts: AccountStore
    let consents: ConsentStore
    let audit: AuditStore
    let sessions: BrowserSessions
    let interactions: Interactions
    let switches: Switches
    let hasher: PasswordHasher
    let throttle: SignInThrottle
    let now: Now

    public init(
        issuer: Issuer, directory: ClientDirectory, clients: ClientStore, accounts: AccountStore,
        consents: ConsentStore, audit: AuditStore, sessions: BrowserSessions, interactions: Interactions,
        switches: Switches,
        hasher: PasswordHasher, throttle: SignInThrottle, now: @escaping Now
    ) {
        self.issuer = issuer
        self.directory = directory
        self.clients = clients
        self.accounts = accounts
        self.consents = consents
        self.audit = audit
        self.sessions = sessions
        self.interactions = interactions
        self.switches = switches
        self.hasher = hasher
        self.throttle = throttle
        self.now = now
    }

    public var routes: [Route] {
        [
            page(.get, .signIn, showSignIn), page(.post, .signIn, signIn),
            page(.get, .account, showAccount), page(.post, .account, chooseAccount),
            page(.get, .consent, showConsent), page(.post, .consent, consent),
        ]
    }

    /// What discovery says of signing in here.
    public var metadata: [JSON.Member] { [.init("acr_values_supported", .array([.string(Self.acr)]))] }

    // MARK: What every page begins with

    /// A page or form whose sealed request is good and belongs to this browser.
    struct Visit: Sendable {
        let request: Request
        let parameters: Parameters
        var pending: PendingAuthorization
        let client: ClientRecord
        let visitor: Visitor?

        var language: Language { .of(request, uiLocales: pending.request.uiLocales) }
        var app: AppFace { AppFace(client.metadata, redirectURI: pending.request.redirectURI) }
    }

    private func page(
        _ method: Method, _ page: Interactions.Page, _ handler: @escaping @Sendable (Visit) async throws -> Response
    ) -> Route {
        Route(method, page.rawValue) { request in
            switch try await open(request) {
            case .success(let visit): return try await handler(visit)
            case .failure(let refusal): return refusal.response
            }
        }
    }

    private struct Refusal: Error { let response: Response }

    private func open(_ request: Request) async throws -> Result<Visit, Refusal> {
        func refuse(_ kind: ErrorPage.Kind) -> Result<Visit, Refusal> {
            .failure(Refusal(response: ErrorPage(kind, requestID: request.id).response(language: .of(request))))
        }
        if request.method == .post {
            guard request.mediaType == "application/x-www-form-urlencoded" else { return refuse(.badRequest) }
            guard isSameOrigin(request) else { return refuse(.expired) }
        }
        let encoded = request.method == .post ? request.body : Array((request.query ?? "").utf8)
        guard let parameters = try? Parameters(formEncoded: encoded) else { return refuse(.badRequest) }
        guard let browser = sessions.browser(request) else { return refuse(.cookiesNeeded) }
        guard let pending = parameters["request"].flatMap({ interactions.open($0, browser: browser) }) else {
            return refuse(.expired)
        }
        guard let client = try await directory.find(pending.request.clientID, in: clients) else {
            return refuse(.badRequest)
        }
        if let response = try await interactions.refuseIfChanged(pending, client, switches, request) {
            return .failure(Refusal(response: response))
        }
        let visitor = try await sessions.visitor(request, clientID: client.metadata.clientID)
        return .success(
            Visit(request: request, parameters: parameters, pending: pending, client: client, visitor: visitor))
    }

    /// A second fence behind the cookie-bound request: what browsers say of where a form comes from, when they say it.
    private func isSameOrigin(_ request: Request) -> Bool {
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" { return false }
        if let origin = request.headers["origin"], origin != issuer.origin { return false }
        return true
    }

    /// Goes on with whatever the request needs next.
    func proceed(_ visit: Visit) async throws -> Response {
        let step = interactions.next(visit.pending, visit.client, visit.visitor)
        return try await interactions.take(step, visit.pending, visit.client, visit.visitor, visit.request)
    }

    /// Goes on to signing in with another account.
    func switchAccount(_ visit: Visit) async throws -> Response {
        var pending = visit.pending
        pending.mustSignIn = true
        pending.signedInSession = nil
        return try await interactions.take(.signIn, pending, visit.client, visit.visitor, visit.request)
    }

    /// The person does not want to go on with the page named.
    func cancel(_ visit: Visit, at page: Interactions.Page) async throws -> Response {
        try await deny(visit, detail: "cancelled at \(page.rawValue)")
    }

    func deny(_ visit: Visit, detail: String? = nil) async throws -> Response {
        let error = OAuthError(.accessDenied, "the person has refused", detail: detail)
        return try await interactions.refuse(error, visit.pending, visit.client, by: visit.visitor, visit.request)
    }
}
