import HTTP
import Interaction
import Issuance
import OpenID
import Storage

/// What the rules say of an authorization request. Without I/O: what has to be looked up is given.
struct AuthorizationFaults {
    /// What the server would look up.
    struct Facts {
        /// nil: no such client, or the request names none.
        var client: ClientRecord?
        var switches: SwitchStates
        /// The one person who will do, as the endpoint finds out.
        var requiredSubject: (AuthorizationRequest) throws(OAuthError) -> String?
        /// Unix seconds.
        var now: Int64
    }

    let issuer: Issuer
    let text: AuthorizationText
    private var list = Checklist(place: .page)
    private var next = Explanation.Next.signInPage

    init(issuer: Issuer, text: AuthorizationText) {
        self.issuer = issuer
        self.text = text
    }

    /// The client that is asked for; nil when that cannot be read.
    var clientID: String? {
        guard let parameters = try? Parameters(formEncoded: text.query.utf8) else { return nil }
        return try? AuthorizationRequest.clientID(of: parameters)
    }

    mutating func explain(_ facts: Facts) -> Explanation {
        checkAddress()
        if let parameters = readParameters() {
            checkClient(parameters, facts)
            if let client = facts.client?.metadata {
                checkRedirectURI(parameters, client)
                checkRules(parameters, client, facts)
            } else {
                skip(from: .redirectURI)
            }
            noteUnknownNames(parameters)
        } else {
            skip(from: .clientID)
        }
        return Explanation(subject: .authorizationRequest, checks: list.checks, notes: list.notes, next: next)
    }

    // MARK: How it comes here

    private var path: String { issuer.path + "/authorize" }

    private mutating func checkAddress() {
        if let origin = text.origin, !origin.isIdentical(to: issuer.origin) {
            list.note("This URL goes to \(Shown.origin(origin)), not to this server, whose issuer is \(issuer).")
        }
        if text.hadFragment {
            list.note(
                "What stands behind # never leaves the browser. Inside redirect_uri it would have to be percent-encoded."
            )
        }
        if let refusal = HTTPTarget.refusal(ofGET: text.target(defaultPath: path)) {
            list.refuse(
                "url", "RFC 9112 §3.2, RFC 3986 §2", status: refusal.status,
                registered: ["printable ASCII, percent escapes of two hexadecimal digits, at most 14 KiB"],
                sent: Shown.shape(text.query),
                .init(
                    finding: refusal.status == 414 ? "it is too long" : "it cannot be read" + inParameter,
                    advice: "Percent-encode every value once, with the function of your language's library for that."))
        }
        if let sent = text.path, !sent.isIdentical(to: path) {
            list.refuse(
                "path", "OpenID Connect Discovery §3", status: 404, registered: [path], sent: Shown.cut(sent),
                .init(
                    finding: "this is not the path of the authorization endpoint",
                    advice: "Use authorization_endpoint as discovery says it: \(issuer.url("/authorize"))"))
        }
    }

    private var inParameter: String { text.unreadableName.map { " (\($0))" } ?? "" }

    private mutating func readParameters() -> Parameters? {
        let read = Result { () throws(Parameters.SyntaxError) in try Parameters(formEncoded: text.query.utf8) }
        var fault: Checklist.Fault?
        var error = OAuthError(.invalidRequest, "")
        if case .failure(let problem) = read {
            error = OAuthError(.invalidRequest, problem.description)
            fault = .init(
                finding: problem.description + inParameter,
                advice: "Percent-encode the UTF-8 bytes of every value once.")
        }
        list.state(
            "encoding", "RFC 6749 App. B", registered: ["form-encoded UTF-8 without NUL"], fault: fault, error: error)
        return try? read.get()
    }

    // MARK: Who asks, and where may the answer go

    /// The rules before `AuthorizationRequest.Rule`.
    private enum Stage: String, CaseIterable, Rule {
        case clientID = "client_id"
        case client, enabled
        case redirectURI = "redirect_uri"

        var section: String {
            switch self {
            case .clientID: "RFC 6749 §4.1.1"
            case .client, .enabled: "RFC 6749 §4.1.2.1"
            case .redirectURI: "RFC 6749 §3.1.2, Core §3.1.2.1"
            }
        }
    }

    private mutating func checkClient(_ parameters: Parameters, _ facts: Facts) {
        let sent = Shown.value("client_id", of: parameters)
        list.ask(
            Stage.clientID.rawValue, Stage.clientID.section,
            registered: facts.client.map { [$0.metadata.clientID] } ?? [],
            sent: sent, advice: "Send client_id once, as it was given when the app was registered."
        ) { () throws(OAuthError) in _ = try AuthorizationRequest.clientID(of: parameters) }
        guard clientID != nil else {
            return list.skip([Stage.client, .enabled])
        }
        list.state(
            Stage.client.rawValue, Stage.client.section,
            registered: facts.client.map { [$0.metadata.clientName] } ?? [],
            sent: sent, fault: facts.client == nil ? .unknownClient : nil,
            error: OAuthError(.invalidRequest, "the client is not known here"))
        guard let client = facts.client else {
            return list.skip([Stage.enabled])
        }
        let disabled = Checklist.Fault(
            finding: "the client is disabled", advice: "An admin has to enable it.")
        list.state(
            Stage.enabled.rawValue, Stage.enabled.section, registered: [client.isEnabled ? "enabled" : "disabled"],
            fault: client.isEnabled ? nil : disabled, error: OAuthError(.invalidRequest, "the client is disabled"))
    }

    private mutating func checkRedirectURI(_ parameters: Parameters, _ client: ClientMetadata) {
        let near = parameters["redirect_uri"].flatMap {
            RedirectURIMismatch.explain($0, registered: client.redirectURIs)
        }
        list.ask(
            Stage.redirectURI.rawValue, Stage.redirectURI.section, registered: client.redirectURIs,
            sent: Shown.value("redirect_uri", of: parameters),
            advice: "They are compared byte for byte. "
                + (near.map { "Send \($0.registered), or register what is sent." }
                    ?? "Send a registered one, or register it.")
        ) { () throws(OAuthError) in _ = try AuthorizationRequest.target(of: parameters, for: client) }
    }

    // MARK: What is asked

    private mutating func checkRules(_ parameters: Parameters, _ client: ClientMetadata, _ facts: Facts) {
        list.place = .redirectURI
        var request = AuthorizationRequest(
            clientID: client.clientID, redirectURI: parameters["redirect_uri"] ?? "")
        for rule in AuthorizationRequest.Rule.allCases {
            var filled = request
            let answer = Result { () throws(OAuthError) in
                try rule.check(parameters, for: client, switches: facts.switches, filling: &filled)
            }
            request = filled
            list.ask(
                rule.rawValue, rule.section, registered: rule.registered(for: client, switches: facts.switches),
                sent: rule.sent(in: parameters), remark: rule.remark(on: parameters, granted: request),
                advice: rule.advice
            ) { () throws(OAuthError) in try answer.get() }
        }
        let subject = checkSubject(request, facts)
        checkSession(request, subject, client, facts)
    }

    /// - Returns: the one person who will do; nil: anybody.
    private mutating func checkSubject(_ request: AuthorizationRequest, _ facts: Facts) -> String? {
        let answer = Result { () throws(OAuthError) in try facts.requiredSubject(request) }
        if let hint = request.idTokenHint {
            list.ask(
                "required_subject", "Core §3.1.2.1, §5.5.1", registered: ["an ID Token of \(issuer)"],
                sent: Shown.shape(hint),
                advice: "Send an ID Token that this server has given, whole and unchanged, or leave id_token_hint out."
            ) { () throws(OAuthError) in _ = try answer.get() }
        }
        return (try? answer.get()) ?? nil
    }

    /// What depends on the browser: told for one in which nobody is signed in.
    private mutating func checkSession(
        _ request: AuthorizationRequest, _ subject: String?, _ client: ClientMetadata, _ facts: Facts
    ) {
        guard !list.hasFailed else { return list.skip("session", "Core §3.1.2.3") }
        let pending = PendingAuthorization(
            browser: PendingAuthorization.anyBrowser, startedAt: facts.now, request: request, requiredSubject: subject)
        let step = Step.next(for: pending, client: client, visitor: nil, now: facts.now)
        if case .refuse(let code, _) = step {
            next = .answerWithoutPage
            list.leaveOpen(
                "session", "Core §3.1.2.3",
                finding:
                    "With prompt=none the answer depends on the browser: \(code.rawValue) when nobody is signed in "
                    + "there, consent_required when the person has to be asked, else a code.")
        } else {
            list.leaveOpen(
                "session", "Core §3.1.2.3",
                finding: "Who is signed in to the browser is asked next; who is not comes to the sign-in page.")
        }
    }

    // MARK: What is not judged

    private mutating func skip(from first: Stage) {
        list.skip(Stage.allCases.drop { $0 != first })
        list.skip(AuthorizationRequest.Rule.allCases)
        list.skip("session", "Core §3.1.2.3")
    }

    private mutating func noteUnknownNames(_ parameters: Parameters) {
        let known = AuthorizationRequest.parameterNames + ["resource"]
        var unknown: [String] = []
        for name in parameters.names where !known.contains(name) && !unknown.contains(name) { unknown.append(name) }
        guard !unknown.isEmpty else { return }
        list.note(
            "Not known here, and ignored: \(unknown.map(Shown.name).joined(separator: ", ")). "
                + "If they belong to the query of redirect_uri, that has to be percent-encoded as a whole.")
    }
}
