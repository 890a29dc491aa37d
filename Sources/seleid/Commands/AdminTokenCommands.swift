import Administration
import Glibc
import Issuance
import OpenID
import Provider
import Storage

enum AdminTokenCommands {
    static let commands = [list, add, revoke]

    private static let roles = AdminRole.allCases.map(\.rawValue).joined(separator: ", ")
    private static let areas = AdminArea.allCases.map(\.rawValue).joined(separator: ", ")

    private static let list = Command(
        "admin-token", "list", summary: "List the tokens of the admin API.", options: [Output.jsonOption]
    ) { invocation in
        let tokens = try CommandContext.run { context in
            let store = AdminTokenStore(database: context.database)
            return try await allPages { last, limit in try await store.page(after: last?.id ?? 0, limit: limit) }
        }
        Output.list(
            tokens, invocation, json: \.json,
            ["ID", "ROLE", "AREAS", "STATE", "EXPIRES", "LAST USED", "NAME"]
        ) { token in
            [
                "\(token.id)", token.role.rawValue, token.areas?.map(\.rawValue).joined(separator: ",") ?? "all",
                state(of: token), Output.time(token.expiresAt), Output.time(token.lastUsedAt), token.name,
            ]
        }
    }

    private static func state(of token: AdminToken) -> String {
        if token.revokedAt != nil { return "revoked" }
        return token.expiresAt.map { $0 <= Int64(time(nil)) } == true ? "expired" : "live"
    }

    private static let add = Command(
        "admin-token", "add", summary: "Make a token for the admin API, and print it once.",
        options: [
            .value("name", "NAME", "whose or what for; the audit record names it"),
            .value("role", "ROLE", "one of \(roles)"),
            .value("area", "AREA", repeats: true, "what it is narrowed to (default: all that the role may)"),
            .value("expires-in", "TIME", "such as 90d, 12h or 30m (default: never)"), Output.dryRunOption,
        ],
        details: """
            admin may do everything; operator changes clients, switches, accounts and sessions, and reads the rest; auditor
            only reads. Admin tokens are for admin alone.
            AREA is one of \(areas).
            """
    ) { invocation in
        guard let name = invocation.value("name") else { throw UsageError("--name is missing") }
        guard let roleName = invocation.value("role") else { throw UsageError("--role is missing: one of \(roles)") }
        guard let role = AdminRole(rawValue: roleName) else {
            throw UsageError("--role must be one of \(roles), not \(quoted(roleName))")
        }
        let areas = try invocation.all("area").map { name in
            guard let area = AdminArea(rawValue: name) else {
                throw UsageError("--area must be one of \(Self.areas), not \(quoted(name))")
            }
            return area
        }
        let expiresAt = try TimeSpan.end("expires-in", invocation)
        try CommandContext.change(invocation) { context, changes in
            let secrets = AdminTokenSecrets(try context.masterKeys())
            let made = try await changes.addAdminToken(
                name: name, role: role, areas: areas.isEmpty ? nil : areas, expiresAt: expiresAt, secrets: secrets)
            if invocation.isDryRun { return ["made an admin token \(name)"] }
            return ["id           \(made.token.id)", "admin_token  \(made.text)"]
        }
    }

    private static let revoke = Command(
        "admin-token", "revoke", summary: "End a token of the admin API at once.", positionals: ["ID"],
        options: [Output.dryRunOption]
    ) { invocation in
        let id = try Int64(number: invocation.positionals[0], "ID")
        try CommandContext.change(invocation) { _, changes in
            try await changes.revokeAdminToken(id)
            return ["revoked admin token \(id)"]
        }
    }
}

extension Int64 {
    /// - Throws: `UsageError` when the text is no id.
    init(number text: String, _ name: String) throws(UsageError) {
        guard let number = Int64(text), number > 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw UsageError("\(name) must be a number, as the list shows it, not \(quoted(text))")
        }
        self = number
    }
}
