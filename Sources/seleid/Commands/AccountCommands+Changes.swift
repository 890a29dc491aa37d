import Administration
import Argon2
import JSON
import Storage

extension AccountCommands {
    static let changes = [set, password, enable, disable, close, endSessions]

    private static let set = Command(
        "account", "set", summary: "Change a person's claims, or the username; the other claims stay.",
        positionals: [argument, Assignments.name], options: [Output.dryRunOption],
        details: """
            NAME is username or a standard claim (OpenID Connect Core §5.1), VALUE is JSON, or else text as it stands; null
            takes the claim away: seleid account set alice email=alice@example.com email_verified=true nickname=null
            """
    ) { invocation in
        let patch = try Assignments.patch(invocation.positionals.dropFirst())
        for (name, command) in [("status", "enable, disable or close"), ("password", "password"), ("sub", "")] {
            guard patch.contains(where: { $0.name == name }) else { continue }
            throw UsageError(
                command.isEmpty ? "\(name) never changes" : "\(name) is no claim; use seleid account \(command)")
        }
        try change(invocation) { account in
            var entry = account.entry
            entry.claims = entry.claims.merged(with: .object(patch.filter { $0.name != "username" }))
            if let username = patch.first(where: { $0.name == "username" }) {
                guard let text = username.value.stringValue else { throw UsageError("username must be text") }
                entry.username = text
            }
            return entry
        }
    }

    private static let password = Command(
        "account", "password", summary: "Set a person's password, and sign the person out everywhere.",
        positionals: [argument], options: [PasswordInput.option, Output.dryRunOption]
    ) { invocation in
        let password = try PasswordInput.read(invocation)
        let username = try CommandContext.run { context in
            let account = try await context.account(invocation.positionals[0])
            let hash = try await PasswordHasher(threads: 1).hash(password)
            try await context.change(invocation) { try await $0.setPassword(hash, of: .subject(account.subject)) }
            return account.username
        }
        Output.changes(["set the password of account \(username)"], invocation)
    }

    private static let enable = Command(
        "account", "enable", summary: "Let a disabled person in again. What ended before does not come back.",
        positionals: [argument], options: [Output.dryRunOption]
    ) { try setStatus(.active, $0) }

    private static let disable = Command(
        "account", "disable", summary: "Lock a person out at once, and sign the person out everywhere.",
        positionals: [argument], options: [Output.dryRunOption]
    ) { try setStatus(.disabled, $0) }

    private static let close = Command(
        "account", "close", summary: "Close a person's account, for good.", positionals: [argument],
        options: [Output.dryRunOption],
        details: """
            Signs the person out everywhere and forgets the password. Nobody else ever gets the account's sub; its username
            stays taken until it is given another (seleid account set ACCOUNT username=…).
            """
    ) { try setStatus(.closed, $0) }

    private static func setStatus(_ status: AccountStatus, _ invocation: Invocation) throws {
        try change(invocation) { account in
            var entry = account.entry
            entry.status = status
            return entry
        }
    }

    private static func change(
        _ invocation: Invocation, _ body: @escaping @Sendable (Account) throws -> AccountEntry
    ) throws {
        try CommandContext.change(invocation) { _, changes in
            let before = try await changes.lock(changes.accountName(invocation.positionals[0]))
            let entry = try body(before)
            _ = try await changes.changeAccount(.subject(before.subject)) { _ in entry }
            let lines = AccountEntry.report(from: before.entry, to: entry)
            return lines.isEmpty ? ["unchanged account \(before.username)"] : lines
        }
    }

    private static let endSessions = Command(
        "account", "end-sessions", summary: "Sign a person out of all browsers and apps.", positionals: [argument],
        options: [Output.dryRunOption]
    ) { invocation in
        try CommandContext.change(invocation) { _, changes in
            let name = try await changes.accountName(invocation.positionals[0])
            let ended = try await changes.endSessions(of: name)
            return ["ended \(ended.sessions) sessions and \(ended.grants) grants"]
        }
    }
}
