import Administration
import Argon2
import JSON
import Provider
import Storage

enum AccountCommands {
    static let commands = [list, add, password]

    private static let list = Command(
        "account", "list", summary: "List the people.", options: [Output.jsonOption]
    ) { invocation in
        let accounts = try Terminal.run { try await AccountStore(database: $0.database).list() }
        if invocation.has("json") {
            Output.json(
                .array(
                    accounts.map { account in
                        .object([
                            .init("username", .string(account.username)), .init("sub", .string(account.subject)),
                            .init("status", .string(account.status.rawValue)), .init("claims", account.claims),
                        ])
                    }))
            return
        }
        Output.table(
            ["USERNAME", "STATUS", "SUB", "NAME"],
            accounts.map { account in
                [account.username, account.status.rawValue, account.subject, account.claims["name"]?.stringValue ?? ""]
            })
    }

    private static let add = Command(
        "account", "add", summary: "Create a person's account.", positionals: ["USERNAME"],
        options: [
            PasswordInput.option,
            .value("name", "NAME", "the claim name"),
            .value("email", "ADDRESS", "the claim email, not verified"),
            .value("claims", short: "f", "FILE", "standard claims as a JSON object in place of the options"),
        ]
    ) { invocation in
        let username = invocation.positionals[0]
        if let problem = AccountRules.usernameProblem(username) { throw UsageError("USERNAME \(problem)") }
        let claims = try claims(invocation)
        let problems = AccountRules.claimProblems(claims)
        guard problems.isEmpty else { throw SystemError(problems.map(\.description).joined(separator: "\n")) }
        if invocation.has("password-stdin"), invocation.value("claims") == "-" {
            throw UsageError("standard input cannot hold both the claims and the password")
        }
        let exists = SystemError("there is an account \(username) already; seleid account password sets its password")
        let newPassword = try PasswordInput.read(invocation)
        let account = try Terminal.run { administration in
            let hash = try await PasswordHasher(threads: 1).hash(newPassword)
            return try await administration.database.transaction { transaction in
                let store = AccountStore(database: transaction)
                guard try await store.find(username: username) == nil else { throw exists }
                return try await store.put(username: username, passwordHash: hash, claims: claims).account
            }
        }
        printOut("created account \(username), sub \(account.subject)\n")
    }

    private static let password = Command(
        "account", "password", summary: "Set a person's password, and sign the person out everywhere.",
        positionals: ["USERNAME"], options: [PasswordInput.option]
    ) { invocation in
        let username = invocation.positionals[0]
        let newPassword = try PasswordInput.read(invocation)
        let isKnown = try Terminal.run { administration in
            let hash = try await PasswordHasher(threads: 1).hash(newPassword)
            return try await AccountStore(database: administration.database).setPassword(hash, username: username)
        }
        guard isKnown else { throw SystemError("there is no account \(quoted(username))") }
        printOut("set the password of account \(username)\n")
    }

    private static func claims(_ invocation: Invocation) throws -> JSON {
        if let path = invocation.value("claims") {
            if invocation.value("name") != nil || invocation.value("email") != nil {
                throw UsageError("--name and --email exclude --claims")
            }
            do {
                return try JSON(parsing: try Files.read(path, limit: 1 << 20))
            } catch let error as JSON.SyntaxError {
                throw SystemError("\(path): this is not JSON: \(error)")
            }
        }
        var members: [JSON.Member] = []
        if let name = invocation.value("name") { members.append(.init("name", .string(name))) }
        if let email = invocation.value("email") { members.append(.init("email", .string(email))) }
        return .object(members)
    }
}
