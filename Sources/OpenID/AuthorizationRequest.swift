/// A value of the `prompt` parameter (Core §3.1.2.1).
public enum Prompt: String, Sendable, CaseIterable {
    case none, login, consent
    case selectAccount = "select_account"
}

/// A request that passed all rules that need no session (Core §3.1.2.2).
public struct AuthorizationRequest: Sendable, Equatable {
    public var clientID: String
    /// Where the answer goes; proven to belong to the client.
    public var redirectURI: String
    /// As asked, filtered to what exists and the client may have, in the order asked, without repeats; holds `openid`.
    public var scope: [String]
    public var state: String?
    public var nonce: String?
    /// S256.
    public var codeChallenge: String?
    public var prompt: Set<Prompt>
    /// Seconds: the request's `max_age`, else the client's `default_max_age`.
    public var maxAge: Int?
    public var loginHint: String?
    /// As sent; not verified yet.
    public var idTokenHint: String?
    public var uiLocales: [String]
    public var acrValues: [String]
    /// `page`, `popup`, `touch` or `wap`.
    public var display: String?
    /// As asked, filtered to what exists and the client may have.
    public var claims: ClaimsRequest

    public init(
        clientID: String, redirectURI: String, scope: [String] = [], state: String? = nil, nonce: String? = nil,
        codeChallenge: String? = nil, prompt: Set<Prompt> = [], maxAge: Int? = nil, loginHint: String? = nil,
        idTokenHint: String? = nil, uiLocales: [String] = [], acrValues: [String] = [], display: String? = nil,
        claims: ClaimsRequest = ClaimsRequest()
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.state = state
        self.nonce = nonce
        self.codeChallenge = codeChallenge
        self.prompt = prompt
        self.maxAge = maxAge
        self.loginHint = loginHint
        self.idTokenHint = idTokenHint
        self.uiLocales = uiLocales
        self.acrValues = acrValues
        self.display = display
        self.claims = claims
    }

    /// Largest accepted sizes in UTF-8 bytes; anything longer is invalid_request.
    public static let stateLimit = 4096
    public static let nonceLimit = 1024
    /// Our ID Tokens stay below, with all that is usually known of a person among their claims too.
    public static let idTokenHintLimit = 8192

    /// Ten years in seconds. A larger `max_age` is taken for this one: no sign-in lives that long, and times can be
    /// reckoned with without overflow.
    public static let maxAgeLimit = 315_360_000
}
