import Administration
import JSON
import OpenID
import Storage

enum ClientCommands {
    static let commands =
        [list, show, add] + changes + secretCommands

    private static let list = Command(
        "client", "list", summary: "List the registered apps.",
        options: [
            .value("search", "TEXT", "only those with TEXT in their id, name or redirect URIs"), Output.jsonOption,
        ]
    ) { invocation in
        let text = invocation.value("search") ?? ""
        let clients = try CommandContext.run { context in
            let store = ClientStore(database: context.database)
            return try await allPages { last, limit in
                try await store.page(after: last?.metadata.clientID ?? "", holding: text, limit: limit)
            }
        }
        Output.list(clients, invocation, json: \.json, ["CLIENT_ID", "PROFILE", "SIGN_IN", "NAME"]) { client in
            let metadata = client.metadata
            let signIn = client.isEnabled ? (metadata.signIn == true ? "on" : "off") : "disabled"
            return [metadata.clientID, metadata.profile.rawValue, signIn, metadata.clientName]
        }
    }

    private static let show = Command(
        "client", "show",
        summary: "Show an app as JSON: its metadata, whether it is enabled, and which secrets it has.",
        positionals: ["ID"]
    ) { invocation in
        let clientID = invocation.positionals[0]
        let (client, secrets) = try CommandContext.run { context in
            let store = ClientStore(database: context.database)
            guard let client = try await store.find(clientID) else { throw AdministrationError.noSuchClient(clientID) }
            return (client, try await store.secrets(of: clientID))
        }
        Output.json(
            .object([
                .init("metadata", client.metadata.json), .init("enabled", .bool(client.isEnabled)),
                .init("created_at", .time(client.createdAt)), .init("updated_at", .time(client.updatedAt)),
                .init("secrets", .array(secrets.map(\.json))),
            ]))
    }
}
