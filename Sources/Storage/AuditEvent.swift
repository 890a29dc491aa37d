import JSON

/// Something that happened and must be remembered: who did it, from where, to what. Never holds a secret.
public struct AuditEvent: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        // People and apps
        case signInSucceeded = "sign_in.succeeded"
        case signInFailed = "sign_in.failed"
        case signInThrottled = "sign_in.throttled"
        case consentGranted = "consent.granted"
        case consentDenied = "consent.denied"
        case consentWithdrawn = "consent.withdrawn"
        case authorizationGranted = "authorization.granted"
        case authorizationRefused = "authorization.refused"
        case codeReplayed = "code.replayed"
        case tokenRefused = "token.refused"
        case refreshRetried = "refresh.retried"
        case refreshReused = "refresh.reused"
        case tokenRevoked = "token.revoked"
        case revocationRefused = "revocation.refused"
        case introspectionRefused = "introspection.refused"
        case userInfoRefused = "userinfo.refused"
        case sessionContextRefused = "session_context.refused"
        // Admins
        case clientCreated = "client.created"
        case clientChanged = "client.changed"
        case clientEnabled = "client.enabled"
        case clientDisabled = "client.disabled"
        case clientDeleted = "client.deleted"
        case secretAdded = "client_secret.added"
        case secretDeleted = "client_secret.deleted"
        case switchSet = "switch.set"
        case accountCreated = "account.created"
        case accountChanged = "account.changed"
        case accountEnabled = "account.enabled"
        case accountDisabled = "account.disabled"
        case accountClosed = "account.closed"
        case passwordSet = "account.password_set"
        case sessionsEnded = "account.sessions_ended"
        case sessionEnded = "session.ended"
        case grantEnded = "grant.ended"
        case keyCreated = "key.created"
        case keyRotated = "key.rotated"
        case keyRevoked = "key.revoked"
        case adminTokenAdded = "admin_token.added"
        case adminTokenRevoked = "admin_token.revoked"
        case adminRefused = "admin.refused"
    }

    /// Who did it.
    public enum Actor: Sendable, Equatable {
        /// By `sub`.
        case person(String)
        /// By client_id.
        case client(String)
        /// By its id and the name it was given.
        case adminToken(String)
        /// A command on a machine of the operator's, by the user of the operating system.
        case command(String)
        /// The server itself.
        case system
        /// Somebody who has not proven who they are.
        case anonymous
    }

    /// Where a request came from; both nil for commands.
    public struct Origin: Sendable, Equatable {
        public var address: String?
        public var requestID: String?

        public init(address: String?, requestID: String?) {
            self.address = address
            self.requestID = requestID
        }

        public static let none = Origin(address: nil, requestID: nil)
    }

    public var kind: Kind
    public var actor: Actor
    public var origin: Origin
    public var clientID: String?
    /// The `sub` of the person it is about.
    public var subject: String?
    /// Reasons, and `before` and `after` of what an admin changed.
    public var detail: [JSON.Member]

    public init(
        _ kind: Kind, by actor: Actor, from origin: Origin, clientID: String? = nil, subject: String? = nil,
        detail: [JSON.Member] = []
    ) {
        self.kind = kind
        self.actor = actor
        self.origin = origin
        self.clientID = clientID
        self.subject = subject
        self.detail = detail
    }
}

extension AuditEvent.Actor {
    /// As stored: the kind, and who of that kind.
    var columns: (kind: String, name: String?) {
        switch self {
        case .person(let subject): ("person", subject)
        case .client(let clientID): ("client", clientID)
        case .adminToken(let name): ("admin_token", name)
        case .command(let user): ("command", user)
        case .system: ("system", nil)
        case .anonymous: ("anonymous", nil)
        }
    }
}
