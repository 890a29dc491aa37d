import Administration
import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var accountRoutes: [Route] {
        [
            read("/accounts", .accounts, listAccounts),
            change(.post, "/accounts", .accounts, createAccount),
            read("/accounts/{sub}", .accounts, readAccount),
            change(.patch, "/accounts/{sub}", .accounts, patchAccount),
            change(.put, "/accounts/{sub}/password", .accounts, setPassword),
        ]
    }

    private var accounts: AccountStore { AccountStore(database: database) }

    private func listAccounts(_ call: Call) async throws -> Response {
        try call.query.allow("q", "username", "after", "limit")
        if let username = call.query["username"] {
            try call.query.allow("username")
            return call.list(try await accounts.find(username: username).map { [$0.json] } ?? [], next: nil)
        }
        let limit = try call.query.limit()
        let found = try await accounts.page(
            after: call.query["after"] ?? "", holding: call.query["q"] ?? "", limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json, place: \.username)
    }

    private func createAccount(_ call: Call) async throws -> Response {
        try call.query.allow()
        let body = try call.body()
        let entry = try AccountEntry(json: .object((body.objectValue ?? []).filter { $0.name != "password" }))
        let hash = body["password"] == nil ? nil : try await hash(passwordOf: body)
        let account = try await run(call) { changes in
            try await changes.createAccount(entry, passwordHash: hash)
        }
        return call.resource(account.json, status: 201, at: account.subject)
    }

    private func readAccount(_ call: Call) async throws -> Response {
        try call.query.allow()
        return call.resource(try await account(of: call).json)
    }

    /// RFC 7396: of the claims, what is null is taken away.
    private func patchAccount(_ call: Call) async throws -> Response {
        try call.query.allow()
        let patch = try call.body("application/merge-patch+json", "application/json")
        if patch["password"] != nil {
            throw AdministrationError.invalid([.init(field: "password", reason: "is set by PUT …/password")])
        }
        let account = try await run(call) { changes in
            try await changes.changeAccount(call.subject, if: call.precondition) { account in
                try AccountEntry(json: account.json.merged(with: patch), of: account)
            }
        }
        return call.resource(account.json)
    }

    private func setPassword(_ call: Call) async throws -> Response {
        try call.query.allow()
        let body = try call.body()
        for member in body.objectValue ?? [] where member.name != "password" {
            throw AdministrationError.invalid([.init(field: member.name, reason: "is unknown here")])
        }
        // Before the work, and again under its lock.
        _ = try await account(of: call)
        let hash = try await hash(passwordOf: body)
        try await run(call) { changes in
            try await changes.setPassword(hash, of: call.subject, if: call.precondition)
        }
        return call.done()
    }

    /// The hash of the body's `password`, which takes its time: never inside a transaction.
    private func hash(passwordOf body: JSON) async throws -> String {
        let password = body["password"]?.stringValue
        let reason = password.map(AccountRules.passwordProblem) ?? "must be set, and a string"
        guard let password, reason == nil else {
            throw AdministrationError.invalid([.init(field: "password", reason: reason ?? "")])
        }
        do { return try await hasher.hash(password) } catch {
            throw Problem(.unavailable, "too many passwords are being looked at just now; nothing was changed")
        }
    }

    /// The account of the path.
    func account(of call: Call) async throws -> Account {
        guard let account = try await accounts.find(call.subject) else {
            throw AdministrationError.noSuchAccount(call.subject)
        }
        return account
    }
}

extension Admin.Call {
    var subject: AccountName { .subject(parameter("sub")) }
}
