import JSON
import Provider
import Storage

enum AuditCommands {
    static let commands = [list, export]

    private static let filterOptions: [Command.Option] = [
        .value("event", "KIND", repeats: true, "such as client.changed or sign_in.failed"),
        .value("actor-kind", "KIND", "person, client, admin_token, command, system or anonymous"),
        .value("actor", "NAME", "who did it: a sub, a client_id, a token's or a user's name"),
        .value("client", "ID", "about this app"),
        .value("account", "ACCOUNT", "about this person, by username or sub"),
        .value("request-id", "ID", "of this request"),
        .value("since", "TIME", "not before: an RFC 3339 time, or so long ago (24h, 7d)"),
        .value("until", "TIME", "before: the same"),
    ]

    private static let list = Command(
        "audit", "list", summary: "List what happened, the newest first.",
        options: filterOptions + [.value("limit", "N", "how many at most (default 50)"), Output.jsonOption],
        details: "The JSON has all of it: --json, or seleid audit export."
    ) { invocation in
        let limit: Int64 = try invocation.value("limit").map { try Int64(number: $0, "--limit") } ?? 50
        guard limit <= 10_000 else { throw UsageError("--limit is at most 10000; seleid audit export has no limit") }
        let filter = try AuditFilter(invocation)
        let events = try CommandContext.run { context in
            let filter = try await filter.about(invocation.value("account"), context)
            return try await AuditStore(database: context.database).list(filter, limit: limit)
        }
        Output.list(events, invocation, json: \.json, ["TIME", "EVENT", "BY", "CLIENT_ID", "SUB", "ADDRESS"]) { event in
            [
                event.time, event.kind,
                ([event.actorKind] + (event.actor.map { [$0] } ?? [])).joined(separator: " "),
                event.clientID ?? "-", event.subject ?? "-", event.address ?? "-",
            ]
        }
    }

    private static let export = Command(
        "audit", "export", summary: "Print what happened as JSON lines, the oldest first.", options: filterOptions,
        details: """
            One event a line, as they are read: all of the record may be printed. Whoever exports again and again begins
            some minutes before the last line (--since), and passes over ids that are there already: an event may be
            committed a little later than one with a higher id.
            """
    ) { invocation in
        let filter = try AuditFilter(invocation)
        try CommandContext.run { context in
            let filter = try await filter.about(invocation.value("account"), context)
            let store = AuditStore(database: context.database)
            var last: Int64?
            while true {
                let events = try await store.export(filter, after: last, limit: 1000)
                printOut(events.map { String(decoding: $0.json.serialized(), as: UTF8.self) + "\n" }.joined())
                guard let id = events.last?.id, events.count == 1000 else { return }
                last = id
            }
        }
    }
}

extension AuditFilter {
    fileprivate init(_ invocation: Invocation) throws(UsageError) {
        self.init()
        let kinds = invocation.all("event")
        for kind in kinds where AuditEvent.Kind(rawValue: kind) == nil {
            let hint = suggestion(kind, among: Set(AuditEvent.Kind.allCases.map(\.rawValue)))
            throw UsageError("there is no event \(quoted(kind))\(hint)")
        }
        if !kinds.isEmpty { self.kinds = kinds }
        actorKind = invocation.value("actor-kind")
        let actorKinds = ["person", "client", "admin_token", "command", "system", "anonymous"]
        if let actorKind, !actorKinds.contains(actorKind) {
            throw UsageError("--actor-kind must be one of \(actorKinds.joined(separator: ", "))")
        }
        actor = invocation.value("actor")
        clientID = invocation.value("client")
        requestID = invocation.value("request-id")
        since = try TimeSpan.past("since", invocation)
        until = try TimeSpan.past("until", invocation)
    }

    /// Only about this person.
    fileprivate func about(_ account: String?, _ context: CommandContext) async throws -> AuditFilter {
        guard let account else { return self }
        var filter = self
        filter.subject = try await context.account(account).subject
        return filter
    }
}
