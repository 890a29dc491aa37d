import Administration
import Issuance
import Provider
import Storage

extension ClientCommands {
    static let secretCommands = [secret, secrets, deleteSecret]

    private static let secret = Command(
        "client", "secret", summary: "Give an app another secret, and print it once.", positionals: ["ID"],
        options: [
            .value("expires-in", "TIME", "such as 90d, 12h or 30m (default: never)"), Output.dryRunOption,
        ],
        details: """
            The secret before it stays valid, so that the app can change over; the one before that ends. At most two live.
            """
    ) { invocation in
        let clientID = invocation.positionals[0]
        let expiresAt = try TimeSpan.end("expires-in", invocation)
        let secret = MasterKeys.makeClientSecret()
        try CommandContext.change(invocation) { context, changes in
            let hash = try context.masterKeys().hash(secret: secret)
            let added = try await changes.addSecret(hash, to: clientID, expiresAt: expiresAt)
            if invocation.isDryRun { return ["added a secret to client \(clientID)"] }
            return ["id             \(added.id)", "client_secret  \(secret)"]
        }
    }

    private static let secrets = Command(
        "client", "secrets", summary: "List an app's secrets: when each was made, last used, and ends.",
        positionals: ["ID"], options: [Output.jsonOption]
    ) { invocation in
        let clientID = invocation.positionals[0]
        let secrets = try CommandContext.run { context in
            let store = ClientStore(database: context.database)
            guard try await store.find(clientID) != nil else { throw AdministrationError.noSuchClient(clientID) }
            return try await store.secrets(of: clientID)
        }
        Output.list(secrets, invocation, json: \.json, ["SECRET_ID", "CREATED", "LAST USED", "EXPIRES"]) { secret in
            [
                "\(secret.id)", Output.time(secret.createdAt), Output.time(secret.lastUsedAt),
                secret.hasExpired ? "expired" : Output.time(secret.expiresAt),
            ]
        }
    }

    private static let deleteSecret = Command(
        "client", "delete-secret", summary: "End one of an app's secrets at once.", positionals: ["ID", "SECRET_ID"],
        options: [Output.dryRunOption]
    ) { invocation in
        let clientID = invocation.positionals[0]
        let id = try Int64(number: invocation.positionals[1], "SECRET_ID")
        try CommandContext.change(invocation) { context, changes in
            try await changes.deleteSecret(id, of: clientID)
            let left = try await changes.secrets(of: clientID).count
            return ["deleted secret \(id) of client \(clientID), which has \(left == 0 ? "none now" : "\(left) left")"]
        }
    }
}
