import Administration
import Argon2
import JSON

extension AccountCommands {
    static let add = Command(
        "account", "add", summary: "Create a person's account.", positionals: ["USERNAME"],
        options: [
            PasswordInput.option,
            .flag("no-password", "nobody can sign in until seleid account password"),
            .value("name", "NAME", "the claim name"),
            .value("email", "ADDRESS", "the claim email, not verified"),
            .value("claims", short: "f", "FILE", "standard claims as a JSON object in place of the options"),
            Output.dryRunOption,
        ]
    ) { invocation in
        let username = invocation.positionals[0]
        if let problem = AccountRules.usernameProblem(username) { throw UsageError("USERNAME \(problem)") }
        let claims = try claims(invocation)
        let problems = AccountRules.claimProblems(claims)
        guard problems.isEmpty else { throw AdministrationError.invalid(problems) }
        if invocation.has("password-stdin"), invocation.value("claims") == "-" {
            throw UsageError("standard input cannot hold both the claims and the password")
        }
        let password = try invocation.has("no-password") ? nil : PasswordInput.read(invocation)
        let account = try CommandContext.run { context in
            // Before the transaction, which must not stand open meanwhile.
            var hash: String?
            if let password { hash = try await PasswordHasher(threads: 1).hash(password) }
            return try await context.change(invocation) { changes in
                try await changes.createAccount(
                    AccountEntry(username: username, claims: claims), passwordHash: hash)
            }
        }
        Output.changes(
            ["created account \(username)" + (invocation.isDryRun ? "" : ", sub \(account.subject)")], invocation)
    }

    private static func claims(_ invocation: Invocation) throws -> JSON {
        if let path = invocation.value("claims") {
            if invocation.value("name") != nil || invocation.value("email") != nil {
                throw UsageError("--name and --email exclude --claims")
            }
            return try JSON(file: path)
        }
        var members: [JSON.Member] = []
        if let name = invocation.value("name") { members.append(.init("name", .string(name))) }
        if let email = invocation.value("email") { members.append(.init("email", .string(email))) }
        return .object(members)
    }
}
