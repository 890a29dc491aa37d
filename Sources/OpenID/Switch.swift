/// What an admin can switch, for everybody and per client. This is the one list: each feature's name, its default, and how
/// a refusal looks.
public enum Switch: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    case userInfo = "userinfo"
    case revocation
    case sessionContext = "session_context"
    case introspection

    /// For everybody.
    public enum State: String, Sendable, CaseIterable {
        /// For nobody. An endpoint is then absent: not in discovery, and its route answers 404.
        case off
        /// For the clients whose own switch is on.
        case perClient = "per_client"
        /// For all clients but those whose own switch is off.
        case on
    }

    /// As long as nobody has set another.
    public var defaultState: State { self == .signIn ? .perClient : .off }

    /// Whether it is an endpoint of its own, which `off` takes away. Signing in is not: its endpoints stay and refuse.
    var isEndpoint: Bool { self != .signIn }

    /// What a client hears for which it is off. Endpoints that clients authenticate at have RFC 6749 §5.2's word for it;
    /// those that take access tokens have RFC 6750 §3.1's, where the token is good and its client lacks the right.
    public var refusal: OAuthError {
        switch self {
        case .signIn: OAuthError(.unauthorizedClient, "sign-in is switched off for this client (switch sign_in)")
        case .revocation, .introspection:
            OAuthError(.unauthorizedClient, "\(rawValue) is switched off for this client (switch \(rawValue))")
        case .userInfo, .sessionContext:
            OAuthError(.insufficientScope, "\(rawValue) is switched off for this client (switch \(rawValue))")
        }
    }
}

/// The global state of every switch.
public struct SwitchStates: Sendable, Hashable {
    private var set: [Switch: Switch.State]

    /// - Parameter set: what has been set; the others have their default.
    public init(_ set: [Switch: Switch.State] = [:]) {
        self.set = set.filter { $0.key.defaultState != $0.value }
    }

    public subscript(feature: Switch) -> Switch.State {
        get { set[feature] ?? feature.defaultState }
        set { set[feature] = newValue == feature.defaultState ? nil : newValue }
    }

    /// Whether the feature is there for at least some: its endpoint answers, and discovery names it.
    public func isMounted(_ feature: Switch) -> Bool { !feature.isEndpoint || self[feature] != .off }

    /// Whether the client may use the feature.
    public func allow(_ feature: Switch, for client: ClientMetadata) -> Bool {
        switch self[feature] {
        case .off: false
        case .perClient: client.setting(of: feature) == true
        case .on: client.setting(of: feature) != false
        }
    }
}

extension ClientMetadata {
    /// The client's own switch; nil when it says nothing.
    public func setting(of feature: Switch) -> Bool? {
        feature == .signIn ? signIn : switches[feature.rawValue]
    }

    /// - Parameter setting: nil: it says nothing.
    public mutating func set(_ feature: Switch, to setting: Bool?) {
        if feature == .signIn { signIn = setting } else { switches[feature.rawValue] = setting }
    }
}
