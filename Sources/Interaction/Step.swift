import HTTP
import OpenID
import RequestAuthentication
import Storage

/// What must happen next with an authorization request.
public enum Step: Sendable, Equatable {
    case signIn
    case chooseAccount
    /// Ask for these scopes: those of the grant, and those of the claims asked for beside them.
    case consent(scope: [String])
    /// Nothing is left to ask: give the app its code for these scopes, and these claims beside them.
    case grant(scope: [String], claims: ClaimsRequest = ClaimsRequest())
    /// Send the app an error.
    case refuse(ErrorCode, String)
}

/// What the person's browser brings along.
public struct Visitor: Sendable {
    public var session: BrowserSession
    /// What the person has granted to this app before; nil if nothing.
    public var consentedScope: [String]?

    public init(session: BrowserSession, consentedScope: [String]?) {
        self.session = session
        self.consentedScope = consentedScope
    }
}

extension BrowserSessions {
    /// Whom the request's browser brings along; nil when nobody is signed in.
    public func visitor(_ request: Request, clientID: String) async throws -> Visitor? {
        try await current(request, clientID: clientID)
            .map { Visitor(session: $0.session, consentedScope: $0.consentedScope) }
    }
}

extension Step {
    /// Decides by Core §3.1.2.1 to §3.1.2.4. Pure: no I/O, the time is an argument.
    /// - Parameters:
    ///   - consentGiven: the person has just pressed "allow".
    ///   - now: Unix seconds.
    public static func next(
        for pending: PendingAuthorization, client: ClientMetadata, visitor: Visitor?, consentGiven: Bool = false,
        now: Int64
    ) -> Step {
        let request = pending.request
        let mayShowPages = !request.prompt.contains(.none)

        // Who is it? (prompt=login, max_age, id_token_hint)
        let signIn: Step = mayShowPages ? .signIn : .refuse(.loginRequired, "the person has to sign in")
        guard let visitor else { return signIn }
        let session = visitor.session
        // A page that was left open for longer than this has lost its freshness: somebody else may sit there.
        let isFresh = pending.signedInSession == session.id && now - session.authTime < PendingAuthorization.freshness
        if !isFresh {
            let maxAge = request.maxAge ?? client.defaultMaxAge
            let isTooOld = maxAge.map { $0 == 0 || now - session.authTime > Int64($0) } ?? false
            if request.prompt.contains(.login) || pending.mustSignIn || isTooOld { return signIn }
        }
        if let subject = pending.requiredSubject, subject != session.subject {
            return isFresh ? .refuse(.loginRequired, "another person than was asked for has signed in") : signIn
        }

        // Which account? A sign-in made for this request has answered that too.
        if request.prompt.contains(.selectAccount), !isFresh, pending.chosenSession != session.id {
            return .chooseAccount
        }

        // May the app have it?
        let scope = grantableScope(request, client: client, consented: visitor.consentedScope)
        let claims = request.claims.limited(to: client.scope)
        let asked = consentScope(scope, claims)
        if !consentGiven, needsConsent(request, client: client, scope: asked, consented: visitor.consentedScope) {
            return mayShowPages
                ? .consent(scope: asked) : .refuse(.consentRequired, "the person has to be asked for consent")
        }
        return .grant(scope: scope, claims: claims)
    }

    /// What a person is asked for, and what is remembered of the answer. A claim that is asked for by its name counts as
    /// its scope there, and only there: what is granted is the claim.
    public static func consentScope(_ scope: [String], _ claims: ClaimsRequest) -> [String] {
        scope + claims.scope.filter { !scope.contains($0) }
    }

    /// Core §11: offline_access without a lawful basis is left out. A basis is asking for it (prompt=consent), having been
    /// granted it before, being a first-party app, or being a native app, whose people are always asked.
    static func grantableScope(_ request: AuthorizationRequest, client: ClientMetadata, consented: [String]?)
        -> [String]
    {
        let offline = StandardScope.offlineAccess.rawValue
        let hasBasis =
            request.prompt.contains(.consent) || client.firstParty || client.applicationType == .native
            || consented?.contains(offline) == true
        let isUsable = client.grantTypes.contains(.refreshToken)
        // The request may have waited: what the app may have is asked of its registration of today.
        let allowed = request.scope.filter { $0 == StandardScope.openid.rawValue || client.scope.contains($0) }
        return hasBasis && isUsable ? allowed : allowed.filter { $0 != offline }
    }

    /// Remembered per person, app and scope set; skipped for first-party apps. An app whose identity nobody vouches for (any
    /// program on the device can claim its redirect URI) is never let through silently (RFC 8252 §8.6).
    static func needsConsent(
        _ request: AuthorizationRequest, client: ClientMetadata, scope: [String], consented: [String]?
    ) -> Bool {
        if request.prompt.contains(.consent) { return true }
        if client.firstParty { return false }
        if client.applicationType == .native, !request.redirectURI.hasPrefix("https://") { return true }
        guard let consented else { return true }
        return !Set(scope).isSubset(of: consented)
    }
}
