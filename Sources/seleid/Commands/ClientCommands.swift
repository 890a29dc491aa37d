import ASCII
import Issuance
import JSON
import OpenID
import OpenSSL
import Provider
import Storage

enum ClientCommands {
    static let commands = [list, show, add, secret]

    private static let list = Command(
        "client", "list", summary: "List the registered apps.", options: [Output.jsonOption]
    ) { invocation in
        let clients = try Terminal.run { try await ClientStore(database: $0.database).list() }
        if invocation.has("json") {
            Output.json(.array(clients.map { $0.metadata.json }))
            return
        }
        Output.table(
            ["CLIENT_ID", "PROFILE", "SIGN_IN", "NAME"],
            clients.map { client in
                let metadata = client.metadata
                let signIn = client.isEnabled ? (metadata.signIn == true ? "on" : "off") : "disabled"
                return [metadata.clientID, metadata.profile.rawValue, signIn, metadata.clientName]
            })
    }

    private static let show = Command(
        "client", "show", summary: "Show an app's metadata, and how many secrets it has.", positionals: ["ID"]
    ) { invocation in
        let clientID = invocation.positionals[0]
        let (client, secrets) = try Terminal.run { administration in
            let store = ClientStore(database: administration.database)
            guard let client = try await store.find(clientID) else { throw noSuchClient(clientID) }
            return (client, try await store.secrets(of: clientID))
        }
        let shownSecrets = secrets.map { secret in
            JSON.object([
                .init("created_at", Output.time(secret.createdAt)), .init("expires_at", Output.time(secret.expiresAt)),
            ])
        }
        Output.json(
            .object([
                .init("metadata", client.metadata.json), .init("enabled", .bool(client.isEnabled)),
                .init("secrets", .array(shownSecrets)),
            ]))
    }

    private static let add = Command(
        "client", "add", summary: "Register an app, and print its secret once.",
        options: [
            .value("id", "ID", "the client_id (default: a random one)"),
            .value("name", "NAME", "what people read on the consent page"),
            .value("redirect-uri", "URI", repeats: true, "where the app gets its answers"),
            .value("post-logout-redirect-uri", "URI", repeats: true, "where people may return after signing out"),
            .flag("public", "an app that can keep no secret: single-page or mobile, with PKCE"),
            .value(
                "auth-method", "METHOD", "how it sends its secret: client_secret_basic (default) or client_secret_post"),
            .flag("native", "a mobile or desktop app"),
            .value("scope", "SCOPE", "what it may ask for (default \"openid profile email offline_access\")"),
            .value("profile", "PROFILE", "seleid (default), oidc or fapi2"),
            .flag("sign-in", "let people sign in at once; otherwise an admin must switch it on"),
            .flag("first-party", "one of our own: people are not asked for consent"),
            .value("file", short: "f", "FILE", "the metadata as a JSON object (RFC 7591) in place of the options"),
        ]
    ) { invocation in
        let metadata: ClientMetadata
        do {
            metadata = try ClientMetadata.validate(json(invocation)).get()
        } catch let problems as ClientMetadata.Problems {
            throw SystemError(problems.all.map(\.description).joined(separator: "\n"))
        }
        let secret = metadata.isConfidential ? MasterKeys.makeClientSecret() : nil
        try Terminal.run { administration in
            let hash = try secret.map { try administration.masterKeys().hash(secret: $0) }
            try await administration.database.transaction { transaction in
                let store = ClientStore(database: transaction)
                guard try await store.find(metadata.clientID) == nil else {
                    throw SystemError("there is a client \(metadata.clientID) already; seleid apply changes clients")
                }
                _ = try await store.put(metadata)
                if let hash { try await store.replaceSecrets(of: metadata.clientID, with: hash) }
            }
        }
        printOut("client_id      \(metadata.clientID)\n")
        if let secret { printOut("client_secret  \(secret)\n") }
        if metadata.signIn != true {
            printOut("Sign-in is off for this app until it is switched on (\"sign_in\": true).\n")
        }
    }

    private static let secret = Command(
        "client", "secret", summary: "Give an app another secret, and print it once.", positionals: ["ID"],
        details: """
            The secret before it stays valid, so that the app can change over; the one before that ends. At most two live.
            """
    ) { invocation in
        let clientID = invocation.positionals[0]
        let secret = MasterKeys.makeClientSecret()
        try Terminal.run { administration in
            let store = ClientStore(database: administration.database)
            guard let client = try await store.find(clientID) else { throw noSuchClient(clientID) }
            guard client.metadata.isConfidential else {
                throw SystemError("client \(clientID) is public (token_endpoint_auth_method none) and has no secret")
            }
            try await store.addSecret(try administration.masterKeys().hash(secret: secret), to: clientID)
        }
        printOut("client_secret  \(secret)\n")
    }

    /// 32 hexadecimal digits: easy to copy, and never taken for an option.
    private static func randomClientID() -> String { randomBytes(16).hexadecimal }

    private static func noSuchClient(_ clientID: String) -> SystemError {
        SystemError("there is no client \(quoted(clientID))")
    }

    /// The metadata as options or a file give it.
    private static func json(_ invocation: Invocation) throws -> JSON {
        if let path = invocation.value("file") {
            let others = ["id", "name", "redirect-uri", "post-logout-redirect-uri", "auth-method", "scope", "profile"]
            let flags = ["public", "native", "sign-in", "first-party"]
            if let other = others.first(where: { invocation.value($0) != nil }) ?? flags.first(where: invocation.has) {
                throw UsageError("--\(other) and --file exclude each other")
            }
            do {
                return try JSON(parsing: try Files.read(path, limit: 1 << 20))
            } catch let error as JSON.SyntaxError {
                throw SystemError("\(path): this is not JSON: \(error)")
            }
        }
        guard let name = invocation.value("name") else { throw UsageError("--name is missing") }
        guard invocation.value("redirect-uri") != nil else { throw UsageError("--redirect-uri is missing") }
        let isPublic = invocation.has("public")
        if isPublic, invocation.value("auth-method") != nil { throw UsageError("--public excludes --auth-method") }
        let authMethod = isPublic ? "none" : invocation.value("auth-method") ?? "client_secret_basic"
        var members: [JSON.Member] = [
            .init("client_id", .string(invocation.value("id") ?? randomClientID())),
            .init("client_name", .string(name)),
            .init("application_type", .string(invocation.has("native") ? "native" : "web")),
            .init("token_endpoint_auth_method", .string(authMethod)),
            .init("grant_types", .array([.string("authorization_code"), .string("refresh_token")])),
            .init("redirect_uris", .array(invocation.all("redirect-uri").map { .string($0) })),
            .init("scope", .string(invocation.value("scope") ?? "openid profile email offline_access")),
        ]
        if invocation.has("sign-in") { members.append(.init("sign_in", .bool(true))) }
        let logoutURIs = invocation.all("post-logout-redirect-uri")
        if !logoutURIs.isEmpty {
            members.append(.init("post_logout_redirect_uris", .array(logoutURIs.map { .string($0) })))
        }
        if let profile = invocation.value("profile") { members.append(.init("profile", .string(profile))) }
        if invocation.has("first-party") { members.append(.init("first_party", .bool(true))) }
        return .object(members)
    }
}
