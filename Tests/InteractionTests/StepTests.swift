import JSON
import OpenID
import Storage
import Testing

@testable import Interaction

/// Core §3.1.2.1 to §3.1.2.4, as decisions without I/O.
@Suite("What must happen next with an authorization request") struct StepTests {
    static let now: Int64 = 1_700_000_000

    func client(_ changes: (inout ClientMetadata) -> Void = { _ in }) throws -> ClientMetadata {
        let json = JSON.object([
            .init("client_id", .string("web1")), .init("client_name", .string("Web")), .init("sign_in", .bool(true)),
            .init("grant_types", .array([.string("authorization_code"), .string("refresh_token")])),
            .init("redirect_uris", .array([.string("https://rp.example/cb")])),
            .init("scope", .string("openid profile offline_access")),
        ])
        var metadata = try ClientMetadata.validate(json).get()
        changes(&metadata)
        return metadata
    }

    func pending(
        scope: [String] = ["openid", "profile"], prompt: Set<Prompt> = [], maxAge: Int? = nil, subject: String? = nil,
        redirectURI: String = "https://rp.example/cb", claims: ClaimsRequest = ClaimsRequest(),
        _ changes: (inout PendingAuthorization) -> Void = { _ in }
    ) -> PendingAuthorization {
        let request = AuthorizationRequest(
            clientID: "web1", redirectURI: redirectURI, scope: scope, state: "s", nonce: nil,
            codeChallenge: nil, prompt: prompt, maxAge: maxAge, loginHint: nil, idTokenHint: nil, uiLocales: [],
            acrValues: [], display: nil, claims: claims)
        var pending = PendingAuthorization(
            browser: [1], startedAt: Self.now, request: request, requiredSubject: subject)
        changes(&pending)
        return pending
    }

    func visitor(age: Int64 = 60, consented: [String]? = ["openid", "profile"]) -> Visitor {
        let session = BrowserSession(
            id: 5, sid: "sid", accountID: 1, subject: "alice", accountName: "Alice", username: "alice@example.test",
            authTime: Self.now - age, acr: "a", amr: ["pwd"])
        return Visitor(session: session, consentedScope: consented)
    }

    func next(
        _ pending: PendingAuthorization, _ client: ClientMetadata, _ visitor: Visitor?, consentGiven: Bool = false
    ) -> Step {
        Step.next(for: pending, client: client, visitor: visitor, consentGiven: consentGiven, now: Self.now)
    }

    @Test("Nobody is signed in: sign in, or login_required for prompt=none")
    func nobody() throws {
        #expect(next(pending(), try client(), nil) == .signIn)
        let refusal = next(pending(prompt: [.none]), try client(), nil)
        guard case .refuse(.loginRequired, _) = refusal else { return #expect(Bool(false), "\(refusal)") }
    }

    @Test("A scope that the app lost while its request was open is not granted")
    func lostScope() throws {
        let client = try client { $0.scope = ["openid"] }
        #expect(next(pending(), client, visitor()) == .grant(scope: ["openid"]))
        #expect(next(pending(), client, visitor(consented: nil)) == .consent(scope: ["openid"]))
    }

    @Test("A live session with consent goes straight back, also for prompt=none")
    func silent() throws {
        #expect(next(pending(), try client(), visitor()) == .grant(scope: ["openid", "profile"]))
        #expect(next(pending(prompt: [.none]), try client(), visitor()) == .grant(scope: ["openid", "profile"]))
    }

    @Test("prompt=login asks once: a sign-in made for this request satisfies it (B052)")
    func promptLogin() throws {
        #expect(next(pending(prompt: [.login]), try client(), visitor()) == .signIn)
        let signedIn = pending(prompt: [.login]) { $0.signedInSession = 5 }
        #expect(next(signedIn, try client(), visitor(age: 0)) == .grant(scope: ["openid", "profile"]))
        #expect(next(signedIn, try client(), visitor(age: 3_600)) == .signIn)
        let other = pending(prompt: [.login]) { $0.signedInSession = 6 }
        #expect(next(other, try client(), visitor()) == .signIn)
    }

    @Test(
        "max_age: an older sign-in asks again, an equal one does not, 0 always does",
        arguments: [(60, 60, false), (60, 59, true), (0, 0, true), (60, 10_000, false)] as [(Int64, Int, Bool)])
    func maxAge(age: Int64, maxAge: Int, asks: Bool) throws {
        let step = next(pending(maxAge: maxAge), try client(), visitor(age: age))
        #expect(step == (asks ? .signIn : .grant(scope: ["openid", "profile"])))
        let signedIn = pending(maxAge: maxAge) { $0.signedInSession = 5 }
        #expect(next(signedIn, try client(), visitor(age: age)) == .grant(scope: ["openid", "profile"]))
    }

    @Test("max_age with prompt=none and an old sign-in is login_required")
    func maxAgeSilently() throws {
        let step = next(pending(prompt: [.none], maxAge: 1), try client(), visitor())
        guard case .refuse(.loginRequired, _) = step else { return #expect(Bool(false), "\(step)") }
    }

    @Test("default_max_age of the client counts when the request has none")
    func defaultMaxAge() throws {
        #expect(next(pending(), try client { $0.defaultMaxAge = 30 }, visitor()) == .signIn)
        #expect(
            next(pending(maxAge: 3_600), try client { $0.defaultMaxAge = 30 }, visitor())
                == .grant(scope: ["openid", "profile"]))
    }

    @Test("id_token_hint: only the person it names will do")
    func hint() throws {
        #expect(next(pending(subject: "alice"), try client(), visitor()) == .grant(scope: ["openid", "profile"]))
        #expect(next(pending(subject: "bob"), try client(), visitor()) == .signIn)
        let signedIn = pending(subject: "bob") { $0.signedInSession = 5 }
        for step in [
            next(signedIn, try client(), visitor()),
            next(pending(prompt: [.none], subject: "bob"), try client(), visitor()),
        ] {
            guard case .refuse(.loginRequired, _) = step else { return #expect(Bool(false), "\(step)") }
        }
    }

    @Test("prompt=select_account asks until the account was chosen or signed in for this request")
    func selectAccount() throws {
        #expect(next(pending(prompt: [.selectAccount]), try client(), visitor()) == .chooseAccount)
        for chosen in [
            pending(prompt: [.selectAccount]) { $0.chosenSession = 5 },
            pending(prompt: [.selectAccount]) { $0.signedInSession = 5 },
        ] {
            #expect(next(chosen, try client(), visitor()) == .grant(scope: ["openid", "profile"]))
        }
        let stale = pending(prompt: [.selectAccount]) { $0.chosenSession = 4 }
        #expect(next(stale, try client(), visitor()) == .chooseAccount)
    }

    @Test("Consent is asked for scopes not granted before; prompt=none says consent_required")
    func consent() throws {
        for consented in [nil, ["openid"]] as [[String]?] {
            #expect(
                next(pending(), try client(), visitor(consented: consented)) == .consent(scope: ["openid", "profile"]))
            let silent = next(pending(prompt: [.none]), try client(), visitor(consented: consented))
            guard case .refuse(.consentRequired, _) = silent else { return #expect(Bool(false), "\(silent)") }
        }
        #expect(
            next(pending(), try client(), visitor(consented: nil), consentGiven: true)
                == .grant(scope: ["openid", "profile"]))
    }

    @Test("Claims asked for by name count as their scope for the consent, and the granted scope does not grow")
    func claims() throws {
        let claims = ClaimsRequest(userInfo: [.name], idToken: [.email])
        let client = try client { $0.scope = ["openid", "profile", "email"] }
        let asked = pending(scope: ["openid"], claims: claims)
        let whole = ["openid", "profile", "email"]
        #expect(next(asked, client, visitor(consented: ["openid", "profile"])) == .consent(scope: whole))
        #expect(next(asked, client, visitor(consented: whole)) == .grant(scope: ["openid"], claims: claims))
        #expect(
            next(asked, client, visitor(consented: nil), consentGiven: true)
                == .grant(scope: ["openid"], claims: claims))
        #expect(Step.consentScope(["openid"], claims) == whole)
        #expect(Step.consentScope(["openid", "email"], claims) == ["openid", "email", "profile"])
        let silent = next(
            pending(scope: ["openid"], prompt: [.none], claims: claims), client, visitor(consented: ["openid"]))
        guard case .refuse(.consentRequired, _) = silent else { return #expect(Bool(false), "\(silent)") }
    }

    @Test("A claim of a scope that the app lost while its request was open is not granted, nor asked for")
    func lostClaims() throws {
        let asked = pending(scope: ["openid"], claims: ClaimsRequest(userInfo: [.name, .email]))
        let client = try client { $0.scope = ["openid", "profile"] }
        #expect(
            next(asked, client, visitor()) == .grant(scope: ["openid"], claims: ClaimsRequest(userInfo: [.name])))
        #expect(next(asked, client, visitor(consented: nil)) == .consent(scope: ["openid", "profile"]))
    }

    @Test("First-party apps are not asked, but for prompt=consent")
    func firstParty() throws {
        let client = try client { $0.firstParty = true }
        #expect(next(pending(), client, visitor(consented: nil)) == .grant(scope: ["openid", "profile"]))
        #expect(
            next(pending(prompt: [.consent]), client, visitor()) == .consent(scope: ["openid", "profile"]))
    }

    @Test(
        "RFC 8252 §8.6: a native app that anyone on the device can claim to be is never let through silently",
        arguments: [("com.example.app:/cb", true), ("http://127.0.0.1:9/cb", true), ("https://app.example/cb", false)])
    func unassuredApps(redirectURI: String, asks: Bool) throws {
        let client = try client { $0.applicationType = .native }
        let step = next(pending(redirectURI: redirectURI), client, visitor())
        #expect(step == (asks ? .consent(scope: ["openid", "profile"]) : .grant(scope: ["openid", "profile"])))
    }

    @Test("B020: offline_access without a lawful basis is dropped")
    func offlineAccess() throws {
        let asked = ["openid", "offline_access"]
        let client = try client()
        #expect(next(pending(scope: asked), client, visitor()) == .grant(scope: ["openid"]))
        #expect(next(pending(scope: asked, prompt: [.consent]), client, visitor()) == .consent(scope: asked))
        #expect(next(pending(scope: asked), client, visitor(consented: asked)) == .grant(scope: asked))
        let firstParty = try self.client { $0.firstParty = true }
        #expect(next(pending(scope: asked), firstParty, visitor(consented: nil)) == .grant(scope: asked))
        let withoutRefresh = try self.client {
            $0.grantTypes = [.authorizationCode]
            $0.firstParty = true
        }
        #expect(next(pending(scope: asked), withoutRefresh, visitor()) == .grant(scope: ["openid"]))
    }

    @Test("A pending authorization comes back from its bytes as it was; other bytes are none")
    func serialization() {
        let value = pending(subject: "bob", claims: ClaimsRequest(userInfo: [.name])) {
            $0.mustSignIn = true
            $0.signedInSession = 5
            $0.shownSession = 9
        }
        #expect(PendingAuthorization(serialized: value.serialized) == value)
        for count in value.serialized.indices {
            #expect(PendingAuthorization(serialized: Array(value.serialized[..<count])) == nil)
        }
        #expect(PendingAuthorization(serialized: value.serialized + [0]) == nil)
    }
}
