import Administration
import Storage

enum ConsentCommands {
    static let commands = [list, withdraw]

    private static let list = Command(
        "consent", "list", summary: "List what a person has allowed apps to know.",
        options: [.value("account", "ACCOUNT", "the person, by username or sub"), Output.jsonOption]
    ) { invocation in
        guard let person = invocation.value("account") else { throw UsageError("--account is missing") }
        let consents = try CommandContext.run { context in
            let account = try await context.account(person)
            let store = ConsentStore(database: context.database)
            return try await allPages { last, limit in
                try await store.page(ofAccount: account.id, after: last?.clientID ?? "", limit: limit)
            }
        }
        Output.list(consents, invocation, json: \.json, ["CLIENT_ID", "SINCE", "CHANGED", "SCOPE"]) { consent in
            [
                consent.clientID, Output.time(consent.createdAt), Output.time(consent.updatedAt),
                consent.scope.joined(separator: " "),
            ]
        }
    }

    private static let withdraw = Command(
        "consent", "withdraw", summary: "Forget what a person has allowed an app, and end what the app got by it.",
        positionals: [AccountCommands.argument, "CLIENT_ID"], options: [Output.dryRunOption],
        details: "ACCOUNT is the username or the sub. The person is asked again at the next sign-in."
    ) { invocation in
        let clientID = invocation.positionals[1]
        try CommandContext.change(invocation) { _, changes in
            let name = try await changes.accountName(invocation.positionals[0])
            try await changes.withdrawConsent(of: name, for: clientID)
            return ["withdrew the consent of \(invocation.positionals[0]) for client \(clientID)"]
        }
    }
}
