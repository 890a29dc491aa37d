import Storage

/// Who changes something, and from where: what the audit record says of it.
public struct Administrator: Sendable {
    public let actor: AuditEvent.Actor
    public let origin: AuditEvent.Origin

    public init(actor: AuditEvent.Actor, origin: AuditEvent.Origin) {
        self.actor = actor
        self.origin = origin
    }

    /// Who it is, for `created_by`.
    var name: String {
        switch actor {
        case .adminToken(let name): "admin token \(name)"
        case .command(let user): "command of \(user)"
        default: "seleid"
        }
    }
}
