import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var auditRoutes: [Route] {
        [
            read("/audit", .audit, listEvents),
            read("/audit/export", .audit, exportEvents),
        ]
    }

    private func listEvents(_ call: Call) async throws -> Response {
        try call.query.allow(AuditFilter.names + ["before", "limit"])
        let limit = try call.query.limit()
        let found = try await audit.list(
            try AuditFilter(call.query), before: try call.query.wholeNumber("before"), limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json) { String($0.id) }
    }

    /// JSON lines, the oldest first; as many as one answer may hold in memory. Who wants more asks again behind the last.
    private func exportEvents(_ call: Call) async throws -> Response {
        try call.query.allow(AuditFilter.names + ["after", "limit"])
        let limit = try call.query.limit(upTo: 1000, unlessSaid: 1000)
        let found = try await audit.export(
            try AuditFilter(call.query), after: try call.query.wholeNumber("after"), limit: limit)
        var lines: [UInt8] = []
        for event in found {
            lines += event.json.serialized()
            lines.append(UInt8(ascii: "\n"))
        }
        let headers = Headers([("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")])
        return Response(status: 200, headers: headers, body: lines)
    }
}

extension AuditFilter {
    fileprivate static let names = [
        "event", "actor_kind", "actor", "client_id", "sub", "request_id", "since", "until",
    ]

    /// - Throws: `Problem`.
    fileprivate init(_ query: Query) throws {
        self.init()
        kinds = query["event"].map { [$0] }
        actorKind = query["actor_kind"]
        actor = query["actor"]
        clientID = query["client_id"]
        subject = query["sub"]
        requestID = query["request_id"]
        since = try query.time("since")
        until = try query.time("until")
    }
}
