import Administration
import ASCII
import Issuance
import JSON
import OpenSSL
import Provider

extension ClientCommands {
    static let add = Command(
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
            Output.dryRunOption,
        ]
    ) { invocation in
        let entry = try ClientEntry(json: json(invocation))
        let metadata = entry.metadata
        let secret = metadata.isConfidential ? MasterKeys.makeClientSecret() : nil
        try CommandContext.change(invocation) { context, changes in
            _ = try await changes.createClient(entry)
            if let secret {
                _ = try await changes.addSecret(
                    try context.masterKeys().hash(secret: secret), to: metadata.clientID)
            }
            if invocation.isDryRun { return ["created client \(metadata.clientID)"] }
            var lines = ["client_id      \(metadata.clientID)"]
            if let secret { lines.append("client_secret  \(secret)") }
            if metadata.signIn != true && !metadata.isResourceServer {
                lines.append("Sign-in is off for this app until: seleid client switch \(metadata.clientID) sign_in on")
            }
            return lines
        }
    }

    /// 32 hexadecimal digits: easy to copy, and never taken for an option.
    private static func randomClientID() -> String { randomBytes(16).hexadecimal }

    /// The metadata as options or a file give it.
    private static func json(_ invocation: Invocation) throws -> JSON {
        if let path = invocation.value("file") {
            let others = ["id", "name", "redirect-uri", "post-logout-redirect-uri", "auth-method", "scope", "profile"]
            let flags = ["public", "native", "sign-in", "first-party"]
            if let other = others.first(where: { invocation.value($0) != nil }) ?? flags.first(where: invocation.has) {
                throw UsageError("--\(other) and --file exclude each other")
            }
            return try JSON(file: path)
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
