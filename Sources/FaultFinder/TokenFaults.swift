import HTTP
import Issuance
import JOSE
import OpenID
import RequestAuthentication
import Storage
import Telemetry

/// What the rules say of a token request. Without I/O: what has to be looked up is given.
struct TokenFaults {
    /// What the server would look up.
    struct Facts {
        /// nil: no such client, or the request names none.
        var client: ClientRecord?
        var switches = SwitchStates()
        /// Whether a key is there that signs.
        var canSign = true
        /// What the code stands for; nil: none of ours, or not there any more.
        var code: IssuedCode?
        var refreshToken: SentRefreshToken = .unknown
        var masterKeys: MasterKeys
        /// Unix seconds.
        var now: Int64
    }

    let text: TokenRequestText
    var list = Checklist(place: .response)
    let parameters: Parameters?
    let credentials: ClientCredentials?

    init(_ text: TokenRequestText) {
        self.text = text
        let parameters = try? Parameters(formEncoded: text.body)
        self.parameters = parameters
        credentials = parameters.flatMap {
            try? ClientCredentials(authorization: text.authorization, parameters: $0)
        }
    }

    /// What it asks with, as far as that can be read.
    var grantType: GrantType? { parameters.flatMap { try? TokenRequest.grantType(of: $0) } }

    mutating func explain(_ facts: Facts) -> Explanation {
        checkForm()
        if let parameters {
            checkCredentials(parameters)
            checkClient(facts)
            checkRequest(parameters, facts)
            switch grantType {
            case .authorizationCode: checkCode(parameters, facts)
            case .refreshToken: checkRefreshToken(parameters, facts)
            case nil: break
            }
        } else {
            list.skip("client_authentication", Self.credentialsSection)
        }
        return Explanation(subject: .tokenRequest, checks: list.checks, notes: list.notes, next: .tokens)
    }

    // MARK: The form

    private mutating func checkForm() {
        let form = "application/x-www-form-urlencoded"
        if let contentType = text.contentType {
            list.ask(
                "content_type", "RFC 6749 §3.2", registered: [form], sent: Shown.cut(contentType),
                advice: "Send a form, and Content-Type: \(form)."
            ) { () throws(OAuthError) in _ = try Self.request(contentType, []).clientForm() }
        } else if text.body.first == UInt8(ascii: "{") {
            list.note("The body looks like JSON; it has to be a form (\(form)).")
        }
        let body = text.body
        list.ask(
            "encoding", "RFC 6749 App. B", registered: ["form-encoded UTF-8 without NUL"],
            advice: "Percent-encode the UTF-8 bytes of every value once."
        ) { () throws(OAuthError) in _ = try Self.request(form, body).clientForm() }
    }

    /// The request as the endpoint would get it, as far as its form goes.
    private static func request(_ contentType: String, _ body: [UInt8]) -> Request {
        Request(method: .post, path: "/", headers: Headers([("Content-Type", contentType)]), body: body)
    }

    // MARK: The client

    private static let credentialsSection = "RFC 6749 §2.3, §3.2.1"

    private mutating func checkCredentials(_ parameters: Parameters) {
        let authorization = text.authorization
        list.ask(
            "client_authentication", Self.credentialsSection,
            registered: ["one of Basic, client_secret in the form, client_id alone in the form"],
            sent: sentCredentials(parameters),
            advice: "Authenticate in one way, the one that the client is registered for."
        ) { () throws(OAuthError) in
            _ = try ClientCredentials(authorization: authorization, parameters: parameters)
        }
    }

    private func sentCredentials(_ parameters: Parameters) -> String? {
        var ways = text.authorization.map { field in
            let scheme = field.prefix { $0 != " " }
            return "Authorization: \(Shown.scheme(scheme)), \(Shown.shape(String(field.dropFirst(scheme.count + 1))))"
        }
        if let id = Shown.value("client_id", of: parameters) { ways.append("client_id: \(id)") }
        for name in ["client_secret", "client_assertion"] {
            if let shape = Shown.value(name, of: parameters) { ways.append("\(name): \(shape)") }
        }
        return ways.isEmpty ? nil : ways.joined(separator: "; ")
    }

    private mutating func checkClient(_ facts: Facts) {
        let rules = ClientCredentials.Rule.allCases
        guard let credentials else {
            list.skip("client", "RFC 6749 §5.2")
            return list.skip(rules)
        }
        list.state(
            "client", "RFC 6749 §5.2", registered: facts.client.map { [$0.metadata.clientName] } ?? [],
            sent: Shown.clientID(credentials.clientID), fault: facts.client == nil ? .unknownClient : nil,
            error: OAuthError(.invalidClient, "the client is not known here"))
        guard let client = facts.client else {
            return list.skip(rules)
        }
        for rule in rules {
            let compared = compare(rule, credentials, client, facts)
            list.ask(
                rule.rawValue, rule.section, registered: compared.registered, sent: compared.sent,
                advice: compared.advice
            ) { () throws(OAuthError) in
                try rule.check(credentials, of: client, masterKeys: facts.masterKeys, now: facts.now)
            }
        }
    }

    private func compare(
        _ rule: ClientCredentials.Rule, _ credentials: ClientCredentials, _ client: ClientRecord, _ facts: Facts
    ) -> (registered: [String], sent: String?, advice: String) {
        switch rule {
        case .enabled: return ([client.isEnabled ? "enabled" : "disabled"], nil, "An admin has to enable it.")
        case .authenticationMethod:
            return (
                [client.metadata.tokenEndpointAuthMethod.rawValue], credentials.method.rawValue,
                "Send the credentials as registered, or change token_endpoint_auth_method."
            )
        case .secret:
            let secrets = client.secrets.map { secret in
                let expiry = secret.expiresAt.map { expiry in
                    "\(secret.isLive(at: facts.now) ? "expires" : "expired") \(Timestamp.text(ofUnixSeconds: expiry))"
                }
                return "secret \(secret.id), \(expiry ?? "does not expire")"
            }
            return (
                client.metadata.isConfidential ? secrets : ["none"], credentials.secret.map(Shown.shape),
                secretAdvice(credentials, client, facts)
            )
        }
    }

    /// Why a secret that does not fit does not fit, where that can be found out.
    private func secretAdvice(_ credentials: ClientCredentials, _ client: ClientRecord, _ facts: Facts) -> String {
        guard let secret = credentials.secret else { return "Send the client's secret." }
        let fits = { (text: String) in
            client.secrets.first { facts.masterKeys.verify(secret: text, against: $0.hash) }
        }
        if let expired = fits(secret) { return "This is secret \(expired.id), which has expired: use a newer one." }
        if fits(secret.filter { !$0.isWhitespace }) != nil {
            return "It would fit without its blanks and line breaks: take them away."
        }
        if let raw = rawSecret, fits(raw) != nil {
            return "It fits before decoding: form-encode client id and secret before base64 (RFC 6749 §2.3.1)."
        }
        return "Use a secret of this client; if none is known, give it a new one."
    }

    /// What stands behind the colon of Basic credentials, not decoded.
    private var rawSecret: String? {
        guard let field = text.authorization.first, let space = field.firstIndex(of: " "),
            let decoded = Base64.decode(field[space...].drop { $0 == " " }),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(validating: decoded[(colon + 1)...], as: UTF8.self)
    }
}
