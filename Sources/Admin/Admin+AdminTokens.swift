import Administration
import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var adminTokenRoutes: [Route] {
        [
            read("/admin-tokens", .adminTokens, listTokens),
            change(.post, "/admin-tokens", .adminTokens, addToken),
            change(.delete, "/admin-tokens/{token_id}", .adminTokens, revokeToken),
        ]
    }

    private func listTokens(_ call: Call) async throws -> Response {
        try call.query.allow("after", "limit")
        let limit = try call.query.limit()
        let found = try await tokens.page(after: try call.query.wholeNumber("after") ?? 0, limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json) { String($0.id) }
    }

    /// The one answer that holds the token.
    private func addToken(_ call: Call) async throws -> Response {
        try call.query.allow()
        let wanted = try NewAdminToken(call.body(), call, now: now())
        if let reason = wanted.excess(over: call.token) {
            throw try await refusal(of: call.request, call.access, call.token, reason)
        }
        let (token, text) = try await run(call) { changes in
            try await changes.addAdminToken(
                name: wanted.name, role: wanted.role, areas: wanted.areas, expiresAt: wanted.expiresAt,
                secrets: tokenSecrets)
        }
        return call.created(token.json, tellingOnce: "token", text, id: token.id)
    }

    private func revokeToken(_ call: Call) async throws -> Response {
        try call.query.allow()
        let id = try call.identifier("token_id", of: "admin token")
        try await run(call) { changes in
            try await changes.revokeAdminToken(id)
        }
        return call.done()
    }
}

/// What a body asks for.
private struct NewAdminToken {
    let name: String
    let role: AdminRole
    /// nil: all that the role may.
    let areas: [AdminArea]?
    /// Unix seconds; nil: never.
    let expiresAt: Int64?

    init(_ body: JSON, _ call: Admin.Call, now: Int64) throws {
        guard let name = body["name"]?.stringValue else { throw Problem.field("name", "must be a string") }
        guard let role = body["role"]?.stringValue.flatMap(AdminRole.init(rawValue:)) else {
            throw Problem.field("role", "must be \(AdminRole.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.name = name
        self.role = role
        areas = try Self.areas(body["areas"])
        expiresAt = try call.expiry(in: body, now: now)
        try call.refuseOthers(in: body, "name", "role", "areas", "expires_at")
    }

    private static func areas(_ json: JSON?) throws -> [AdminArea]? {
        guard let json, json != .null else { return nil }
        let areas = json.arrayValue?.map { $0.stringValue.flatMap(AdminArea.init(rawValue:)) } ?? [nil]
        let names = AdminArea.allCases.map(\.rawValue).joined(separator: ", ")
        guard !areas.isEmpty, !areas.contains(nil), Set(areas).count == areas.count else {
            throw Problem.field("areas", "must be null, or a list of different ones of \(names)")
        }
        return areas.compactMap(\.self)
    }

    /// In what the new token would have more than the one that makes it, which is an admin's; nil when in nothing.
    func excess(over token: AdminToken) -> String? {
        if let own = token.areas, !(areas?.allSatisfy(own.contains) ?? false) {
            return "the token may not make one of other areas than its own"
        }
        if let own = token.expiresAt, expiresAt.map({ $0 > own }) ?? true {
            return "the token may not make one that lives longer than itself"
        }
        return nil
    }
}
