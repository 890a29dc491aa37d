import Postgres
import Provider

enum MigrateCommand {
    static let command = Command(
        "migrate", summary: "Bring the database's schema up to this release.",
        options: [.flag("dry-run", "print what is pending, change nothing")],
        details: "Safe to run while servers of the former release run, and on several machines at once."
    ) { invocation in
        let isDryRun = invocation.has("dry-run")
        let names = try CommandContext.run { context in
            try await isDryRun
                ? Migrator.embedded.pending(on: context.database)
                : Migrator.embedded.run(on: context.database)
        }
        for name in names { printOut("\(isDryRun ? "pending" : "applied") \(name)\n") }
        if names.isEmpty { printOut("nothing to do\n") }
    }
}
