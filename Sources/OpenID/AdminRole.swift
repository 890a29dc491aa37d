/// What the holder of an admin token may do.
public enum AdminRole: String, Sendable, CaseIterable {
    /// Everything.
    case admin
    /// Runs apps and people: clients, switches, accounts, sessions; reads keys and the audit record. No admin tokens.
    case `operator`
    /// Reads everything but admin tokens, changes nothing.
    case auditor

    /// - Parameter area: what is looked at.
    public func mayRead(_ area: AdminArea) -> Bool { self == .admin || area != .adminTokens }

    public func mayChange(_ area: AdminArea) -> Bool {
        switch self {
        case .admin: true
        case .operator: [.clients, .switches, .accounts, .sessions].contains(area)
        case .auditor: false
        }
    }
}

/// A part of the administration, to which a token may be narrowed.
public enum AdminArea: String, Sendable, CaseIterable {
    case clients, switches, accounts
    /// Browser sessions, grants and consents.
    case sessions
    case keys, audit
    case adminTokens = "admin_tokens"
}
