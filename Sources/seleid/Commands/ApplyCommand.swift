import Provider

enum ApplyCommand {
    static let command = Command(
        "apply", summary: "Create and change clients, accounts and switches as a file says.",
        options: [
            .value("file", short: "f", "FILE", "the file, JSON; - is standard input"),
            .flag("dry-run", "print what would change, change nothing"),
        ],
        details: """
            All of the file is checked before anything is written, and what it says is written in one go. What the file
            does not name stays as it is. Applying a file twice changes nothing the second time. Docs/configuration.md
            has the keys.
            """
    ) { invocation in
        guard let path = invocation.value("file") else { throw UsageError("-f FILE is missing") }
        let isDryRun = invocation.has("dry-run")
        let file = try ApplyFile.read(path)
        let changes = try Terminal.run { administration in
            try await Applier(database: administration.database, masterKeys: administration.masterKeysIfSet)
                .apply(file, isDryRun: isDryRun)
        }
        for change in changes { printOut("\(change)\n") }
        if isDryRun { printOut("dry run: nothing was written\n") }
    }
}
