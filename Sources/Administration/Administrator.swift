import Storage

/// Who changes something, and from where: what the audit record says of it.
public struct Administrator: Sendable {
    public let actor: AuditEvent.Actor
    public let origin: AuditEvent.Origin

    public init(actor: AuditEvent.Actor, origin: AuditEvent.Origin) {
        self.actor = actor
        self.origin = origin
    }
}
