import Administration
import JSON
import Storage

enum AccountCommands {
    static let commands = [list, show, add] + changes

    /// What help calls it.
    static let argument = "ACCOUNT"

    private static let list = Command(
        "account", "list", summary: "List the people.",
        options: [
            .value("search", "TEXT", "only those with TEXT in their username, name or email"), Output.jsonOption,
        ]
    ) { invocation in
        let text = invocation.value("search") ?? ""
        let accounts = try CommandContext.run { context in
            let store = AccountStore(database: context.database)
            return try await allPages { last, limit in
                try await store.page(after: last?.username ?? "", holding: text, limit: limit)
            }
        }
        Output.list(accounts, invocation, json: \.json, ["USERNAME", "STATUS", "SUB", "NAME"]) { account in
            [account.username, account.status.rawValue, account.subject, account.claims["name"]?.stringValue ?? ""]
        }
    }

    private static let show = Command(
        "account", "show", summary: "Show a person's account as JSON.", positionals: [argument],
        details: "ACCOUNT is the username or the sub."
    ) { invocation in
        Output.json(try CommandContext.run { try await $0.account(invocation.positionals[0]).json })
    }
}
