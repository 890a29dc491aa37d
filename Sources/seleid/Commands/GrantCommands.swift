import Administration
import Storage

enum GrantCommands {
    static let commands = [list, end]

    private static let list = Command(
        "grant", "list", summary: "List what people have at apps by signing in, the newest first.",
        options: [
            .value("account", "ACCOUNT", "of this person, by username or sub"),
            .value("client", "ID", "at this app"), SessionCommands.allOption, Output.jsonOption,
        ],
        details: "One of --account and --client must be given, or both."
    ) { invocation in
        let (person, clientID) = (invocation.value("account"), invocation.value("client"))
        guard person != nil || clientID != nil else { throw UsageError("--account or --client is missing") }
        let grants = try CommandContext.run { context in
            let owner = try await owner(person, clientID, context)
            let store = GrantStore(database: context.database)
            return try await allPages { last, limit in
                try await store.page(of: owner, before: last?.id, SessionCommands.filter(invocation), limit: limit)
            }
        }
        Output.list(
            grants, invocation, json: \.json,
            ["ID", "CLIENT_ID", "SUB", "STATE", "SINCE", "EXPIRES", "SCOPE"]
        ) { grant in
            [
                "\(grant.id)", grant.clientID, grant.subject, grant.endReason ?? grant.standing.rawValue,
                Output.time(grant.createdAt),
                Output.time(grant.endedAt ?? min(grant.expiresAt, grant.idleExpiresAt)),
                grant.scope.joined(separator: " "),
            ]
        }
    }

    private static func owner(
        _ person: String?, _ clientID: String?, _ context: CommandContext
    ) async throws -> GrantOwner {
        if let clientID, try await ClientStore(database: context.database).find(clientID) == nil {
            throw AdministrationError.noSuchClient(clientID)
        }
        guard let person else { return .client(clientID ?? "") }
        let account = try await context.account(person)
        guard let clientID else { return .account(account.id) }
        return .both(accountID: account.id, clientID: clientID)
    }

    private static let end = Command(
        "grant", "end", summary: "End what a person has at an app by one sign-in: its tokens are dead at once.",
        positionals: ["ID"], options: [Output.dryRunOption]
    ) { invocation in
        let id = try Int64(number: invocation.positionals[0], "ID")
        try CommandContext.change(invocation) { _, changes in
            [try await changes.endGrant(id) ? "ended grant \(id)" : "unchanged grant \(id): it is over"]
        }
    }
}
