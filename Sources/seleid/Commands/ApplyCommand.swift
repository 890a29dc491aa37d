import Administration
import Provider

enum ApplyCommand {
    static let command = Command(
        "apply", summary: "Create and change clients, accounts and switches as a file says.",
        options: [
            .value("file", short: "f", "FILE", "the file, JSON; - is standard input"),
            .flag("prune", "let go what the file does not name, in each section that it has"),
            Output.dryRunOption,
        ],
        details: """
            All of the file is checked before anything is written, and what it says is written in one go. Applying a file
            twice changes nothing the second time. Docs/configuration.md has the keys.

            What the file does not name stays as it is. With --prune, clients that it does not name are deleted, accounts
            are closed, for good, and switches go back to their default; a section that it does not have is left alone, and
            an empty one is refused. Look at --dry-run --prune before. Admin tokens, keys, sessions and grants are not in
            files.
            """
    ) { invocation in
        guard let path = invocation.value("file") else { throw UsageError("-f FILE is missing") }
        let file = try ApplyFile.read(path)
        let lines = try CommandContext.run { context in
            let lines = try await Applier(
                database: context.database, masterKeys: context.masterKeysIfSet, by: context.administrator
            ).apply(file, prunes: invocation.has("prune"), isDryRun: invocation.isDryRun)
            if !invocation.isDryRun { await context.settle() }
            return lines
        }
        Output.changes(lines.map(\.description), invocation)
    }
}
