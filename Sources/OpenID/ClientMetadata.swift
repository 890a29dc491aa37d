import ASCII

/// A registered app: RFC 7591 metadata, ours beside it. Holding one proves that its metadata passed `validate`.
public struct ClientMetadata: Sendable, Equatable {
    public var clientID: String
    public var clientName: String
    public var applicationType: ApplicationType
    public var profile: Profile
    public var tokenEndpointAuthMethod: TokenEndpointAuthMethod
    public var grantTypes: [GrantType]
    public var redirectURIs: [String]
    public var postLogoutRedirectURIs: [String]
    /// The scopes the client may ask for; others are dropped.
    public var scope: [String]
    /// Its own switch for signing in (`Switch.signIn`); nil: it says nothing, which is off until an admin switches it on.
    public var signIn: Bool?
    /// Whether it is the operator's own: no consent page.
    public var firstParty: Bool
    /// Whether token answers carry the deprecated camelCase twins.
    public var camelCaseAliases: Bool
    /// Seconds in which the last refresh token may be sent again; 0 = strict, at most 300.
    public var refreshRetrySeconds: Int
    /// Seconds, at most 60.
    public var authorizationCodeLifetime: Int
    /// Seconds, at most an hour.
    public var idTokenLifetime: Int
    /// Seconds, at most 10 minutes.
    public var accessTokenLifetime: Int
    /// Unused, seconds; at most 30 days.
    public var refreshTokenIdleLifetime: Int
    /// In all, seconds; at most 90 days.
    public var refreshTokenLifetime: Int
    /// Overrides of the profile; nil = as the profile says.
    public var statePolicy: Requirement?
    public var noncePolicy: Requirement?
    public var pkcePolicy: Requirement?
    public var requireAuthTime: Bool
    /// Seconds; stands in for a missing `max_age`.
    public var defaultMaxAge: Int?
    public var clientURI: String?
    public var logoURI: String?
    public var policyURI: String?
    public var tosURI: String?
    public var contacts: [String]
    /// Its own switches of endpoints, by the names of `Switch`.
    public var switches: [String: Bool]
    /// Whether userinfo answers are signed (RS256, Core §5.3.2 `userinfo_signed_response_alg`).
    public var signsUserInfo: Bool
    /// Client ids of the resource servers its access tokens are for: those may introspect them.
    public var audience: [String]

    /// Whether it is only a resource server, which introspects and signs nobody in.
    public var isResourceServer: Bool { grantTypes.isEmpty }

    public var isConfidential: Bool { tokenEndpointAuthMethod != .none }

    /// Whether the secret, if any, can be kept: one shipped in a native app cannot (RFC 8252 §8.5).
    var keepsSecret: Bool { isConfidential && applicationType != .native }

    /// After the profile's preset.
    public var requiresState: Bool { (statePolicy ?? (profile == .seleid ? .required : .optional)) == .required }

    /// After the profile's preset.
    public var requiresNonce: Bool { (noncePolicy ?? (profile == .seleid ? .required : .optional)) == .required }

    /// After the profile's preset. Public clients always need PKCE, and native ones with a secret count as public.
    public var requiresPKCE: Bool {
        if !keepsSecret { return true }
        return (pkcePolicy ?? (profile == .oidc ? .optional : .required)) == .required
    }

    /// Characters of a nonce, where there is a rule: the `seleid` profile requires 16 to 256. A client whose
    /// `nonce_policy` is optional is left to the standard, which has no such rule.
    public var nonceLength: ClosedRange<Int>? { profile == .seleid && requiresNonce ? 16...256 : nil }

    /// Whether `uri`, decoded once, is one of the registered ones: byte for byte, but that any port fits a registered
    /// `http://127.0.0.1…` or `http://[::1]…` of a native client (RFC 8252 §7.3).
    public func accepts(redirectURI uri: String) -> Bool {
        if redirectURIs.contains(where: { $0.isIdentical(to: uri) }) { return true }
        guard applicationType == .native, let asked = LoopbackURI(uri) else { return false }
        return redirectURIs.contains { registered in
            guard let registered = LoopbackURI(registered) else { return false }
            return registered.address == asked.address && registered.rest.isIdentical(to: asked.rest)
        }
    }

    /// 1 to 128 unreserved characters: safe in URLs, headers, logs and Basic credentials without any encoding. But not `.` or
    /// `..`, which whoever sends a URL takes out of its path.
    public static func isClientID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isUnreserved) && text != "." && text != ".."
    }

    /// The names `switches` may have.
    static let switchNames = Switch.allCases.filter(\.isEndpoint).map(\.rawValue)

    /// Defaults, which for lifetimes are the upper limits too: a client may only shorten them.
    enum Default {
        static let refreshRetrySeconds = 60
        static let refreshRetryLimit = 300
        static let authorizationCodeLifetime = 60
        static let idTokenLifetime = 3600
        static let accessTokenLifetime = 600
        static let refreshTokenIdleLifetime = 30 * 86400
        static let refreshTokenLifetime = 90 * 86400
    }
}
