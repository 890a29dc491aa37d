import HTTP
import Issuance
import JSON
import OpenID
import Pages
import RequestAuthentication
import Storage

/// Leads a person through the pages that an authorization request needs, and the answer back to the app.
public struct Interactions: Sendable {
    /// The pages, as paths below the issuer's.
    public enum Page: String, Sendable {
        case signIn = "/sign-in", account = "/account", consent = "/consent"
    }

    private let issuer: Issuer
    private let codes: AuthorizationCodeStore
    private let audit: AuditStore
    private let codeSecrets: LookupSecrets
    private let sealer: Sealer
    private let now: Now

    public init(
        issuer: Issuer, codes: AuthorizationCodeStore, audit: AuditStore, masterKeys: MasterKeys, now: @escaping Now
    ) {
        self.issuer = issuer
        self.codes = codes
        self.audit = audit
        codeSecrets = LookupSecrets.authorizationCodes(masterKeys)
        sealer = Sealer(masterKeys, purpose: "authorization request")
        self.now = now
    }

    // MARK: The sealed request

    public func seal(_ pending: PendingAuthorization) -> String { sealer.sealText(pending.serialized) }

    /// The request that a page or form brought back; nil when it is not ours, too old, or was begun in another browser.
    public func open(_ sealed: String, browser: [UInt8]) -> PendingAuthorization? {
        guard let pending = sealer.openText(sealed).flatMap(PendingAuthorization.init(serialized:)),
            pending.browser == browser, now() - pending.startedAt < PendingAuthorization.lifetime
        else { return nil }
        return pending
    }

    /// The path a page's form posts to.
    public func action(_ page: Page) -> String { issuer.path + page.rawValue }

    // MARK: The way through

    /// What must happen next.
    public func next(
        _ pending: PendingAuthorization, _ client: ClientRecord, _ visitor: Visitor?, consentGiven: Bool = false
    ) -> Step {
        Step.next(for: pending, client: client.metadata, visitor: visitor, consentGiven: consentGiven, now: now())
    }

    /// Takes a step: on to a page, or back to the app.
    public func take(
        _ step: Step, _ pending: PendingAuthorization, _ client: ClientRecord, _ visitor: Visitor?, _ request: Request
    ) async throws -> Response {
        switch step {
        case .signIn: return goTo(.signIn, pending)
        case .chooseAccount: return goTo(.account, pending)
        case .consent: return goTo(.consent, pending)
        case .refuse(let code, let description):
            return try await refuse(OAuthError(code, description), pending, client, by: visitor, request)
        case .grant(let scope, let claims):
            guard let visitor else { return goTo(.signIn, pending) }
            return try await grant(scope, claims, pending, client, visitor.session, request)
        }
    }

    private func goTo(_ page: Page, _ pending: PendingAuthorization) -> Response {
        .redirect("\(issuer.url(page.rawValue))?request=\(seal(pending))")
    }

    // MARK: The answer to the app

    /// Core §3.1.2.5. A form that was sent twice gets the code it got the first time, as long as that is of use.
    private func grant(
        _ scope: [String], _ claims: ClaimsRequest, _ pending: PendingAuthorization, _ client: ClientRecord,
        _ session: BrowserSession, _ request: Request
    ) async throws -> Response {
        let code = AuthorizationCode(
            clientID: client.metadata.clientID, redirectURI: pending.request.redirectURI, scope: scope,
            nonce: pending.request.nonce, codeChallenge: pending.request.codeChallenge, session: session,
            userInfoClaims: claims.userInfo, idTokenClaims: claims.idToken)
        let lifetime = Int64(client.metadata.authorizationCodeLifetime)
        var seed = pending.id
        seed.append(bigEndian: session.accountID)
        var secret = codeSecrets.make(from: seed)
        if try await !codes.save(code, hash: secret.hash, lifetime: lifetime, origin: request.origin) {
            secret = codeSecrets.make()
            _ = try await codes.save(code, hash: secret.hash, lifetime: lifetime, origin: request.origin)
        }
        request.log(
            .info, "authorization.granted",
            [.init("client_id", .string(code.clientID)), .init("sub", .string(session.subject))])
        return answer([("code", secret.text)], pending.target, client.metadata, pending.request.uiLocales, request)
    }

    /// Core §3.1.2.6.
    public func refuse(
        _ error: OAuthError, _ pending: PendingAuthorization, _ client: ClientRecord, by visitor: Visitor?,
        _ request: Request
    ) async throws -> Response {
        request.log(.info, "authorization.refused", error.fields + [clientIDField(client)])
        try await record(error, client, by: visitor, request)
        return answer(error, at: pending.target, client, uiLocales: pending.request.uiLocales, request)
    }

    /// The same for a request that did not become a pending one.
    public func refuse(
        _ error: OAuthError, at target: AuthorizationTarget, _ client: ClientRecord, _ request: Request
    ) async throws -> Response {
        request.log(.info, "authorization.refused", error.fields + [clientIDField(client)])
        try await record(error, client, by: nil, request)
        return answer(error, at: target, client, request)
    }

    /// The same on a page of ours, because the app must not have the answer (RFC 6749 §4.1.2.1).
    public func refuseOnPage(
        _ error: OAuthError, _ client: ClientRecord, _ request: Request
    ) async throws -> Response {
        request.log(.info, "authorization.rejected", error.fields + [clientIDField(client)])
        try await record(error, client, by: nil, request)
        return ErrorPage(.badRequest, code: error.code.rawValue, description: error.description, requestID: request.id)
            .response(language: .of(request))
    }

    /// What a request that waited (on a page, or for a redirect) may have missed: its app may have been changed since.
    /// - Returns: nil when it may go on.
    public func refuseIfChanged(
        _ pending: PendingAuthorization, _ client: ClientRecord, _ switches: Switches, _ request: Request
    ) async throws -> Response? {
        guard client.isEnabled else {
            return try await refuseOnPage(OAuthError(.invalidRequest, "the client is disabled"), client, request)
        }
        guard client.metadata.accepts(redirectURI: pending.request.redirectURI) else {
            let error = OAuthError(.invalidRequest, "redirect_uri is not registered for this client any more")
            return try await refuseOnPage(error, client, request)
        }
        guard try await switches.states().allow(.signIn, for: client.metadata) else {
            return try await refuse(Switch.signIn.refusal, pending, client, by: nil, request)
        }
        return nil
    }

    private func record(
        _ error: OAuthError, _ client: ClientRecord, by visitor: Visitor?, _ request: Request
    ) async throws {
        let subject = visitor?.session.subject
        try await audit.recordRefusal(
            AuditEvent(
                .authorizationRefused, by: subject.map { .person($0) } ?? .anonymous, from: request.origin,
                clientID: client.metadata.clientID, subject: subject, detail: error.fields))
    }

    private func clientIDField(_ client: ClientRecord) -> JSON.Member {
        .init("client_id", .string(client.metadata.clientID))
    }

    /// Tells the app of an error. Not on record: for what is no refusal.
    public func answer(
        _ error: OAuthError, at target: AuthorizationTarget, _ client: ClientRecord, uiLocales: [String] = [],
        _ request: Request
    ) -> Response {
        let parameters = [("error", error.code.rawValue), ("error_description", error.description)]
        return answer(parameters, target, client.metadata, uiLocales, request)
    }

    private func answer(
        _ parameters: [(String, String)], _ target: AuthorizationTarget, _ client: ClientMetadata,
        _ uiLocales: [String], _ request: Request
    ) -> Response {
        let url = target.url(answering: parameters, issuer: issuer.description)
        // Browsers ask before they open an app, or do nothing when it is not there: a page with a button says what happens.
        if !target.redirectURI.hasPrefix("https://"), !target.redirectURI.hasPrefix("http://") {
            return ReturnPage(app: AppFace(client, redirectURI: target.redirectURI), url: url)
                .response(language: .of(request, uiLocales: uiLocales))
        }
        return .redirect(url)
    }
}

extension AppFace {
    public init(_ client: ClientMetadata, redirectURI: String) {
        self.init(
            name: client.clientName, uri: client.clientURI, policyURI: client.policyURI, tosURI: client.tosURI,
            redirectURI: redirectURI)
    }
}
