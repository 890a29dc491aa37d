import JSON

/// An event as it stands in the record.
public struct RecordedEvent: Sendable {
    /// Ascends with time; what cursors are made of.
    public let id: Int64
    /// RFC 3339 in UTC, to the millisecond.
    public let time: String
    /// Text, since a record outlives the list of kinds.
    public let kind: String
    public let actorKind: String
    public let actor: String?
    public let clientID: String?
    public let subject: String?
    public let address: String?
    public let requestID: String?
    /// An object.
    public let detail: JSON

    /// As the admin API and the command line show it; what an event does not have is left out.
    public var json: JSON {
        var actor: [JSON.Member] = [.init("kind", .string(actorKind))]
        var members: [JSON.Member] = [
            .init("id", .integer(id)), .init("time", .string(time)), .init("event", .string(kind)),
        ]
        if let name = self.actor { actor.append(.init("name", .string(name))) }
        members.append(.init("actor", .object(actor)))
        let rest = [
            ("client_id", clientID), ("sub", subject), ("address", address), ("request_id", requestID),
        ]
        for (name, value) in rest {
            if let value { members.append(.init(name, .string(value))) }
        }
        return .object(members + [.init("detail", detail)])
    }
}

/// Which events are wanted: those that fit all that is set.
public struct AuditFilter: Sendable {
    /// One of these kinds, as text: old rows may have others than `AuditEvent.Kind`. nil: any.
    public var kinds: [String]?
    /// 'person', 'client', 'admin_token', 'command', 'system' or 'anonymous'.
    public var actorKind: String?
    /// The actor's sub, client_id or name.
    public var actor: String?
    public var clientID: String?
    /// The `sub` of the person it is about.
    public var subject: String?
    public var requestID: String?
    /// Unix seconds: not before.
    public var since: Int64?
    /// Unix seconds: before.
    public var until: Int64?

    public init() {}
}
