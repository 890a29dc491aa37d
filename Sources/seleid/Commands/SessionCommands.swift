import Administration
import Storage

enum SessionCommands {
    static let commands = [list, end]

    /// Of lists of what is over some day.
    static let allOption = Command.Option.flag("all", "also what is over")

    static func filter(_ invocation: Invocation) -> StandingFilter {
        invocation.has(allOption.name) ? .all : .live
    }

    private static let list = Command(
        "session", "list", summary: "List the browsers in which a person is signed in, the newest first.",
        options: [.value("account", "ACCOUNT", "the person, by username or sub"), allOption, Output.jsonOption]
    ) { invocation in
        guard let person = invocation.value("account") else { throw UsageError("--account is missing") }
        let sessions = try CommandContext.run { context in
            let account = try await context.account(person)
            let store = SessionStore(database: context.database)
            return try await allPages { last, limit in
                try await store.page(ofAccount: account.id, before: last?.id, filter(invocation), limit: limit)
            }
        }
        Output.list(sessions, invocation, json: \.json, ["SID", "STATE", "SIGNED IN", "EXPIRES", "LIVE GRANTS"]) {
            session in
            [
                session.sid, session.endReason ?? session.standing.rawValue, Output.time(session.authTime),
                Output.time(session.endedAt ?? session.expiresAt), "\(session.liveGrants)",
            ]
        }
    }

    private static let end = Command(
        "session", "end", summary: "Sign a person out of one browser, and of the apps it signed in to.",
        positionals: ["SID"], options: [Output.dryRunOption]
    ) { invocation in
        let sid = invocation.positionals[0]
        try CommandContext.change(invocation) { _, changes in
            [try await changes.endSession(sid) ? "ended session \(sid)" : "unchanged session \(sid): it is over"]
        }
    }
}
