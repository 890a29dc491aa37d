import Administration

enum ExportCommand {
    static let command = Command(
        "export", summary: "Print clients, accounts and switches as apply reads them.",
        details: "Without secrets and passwords. The order is always the same, so that two exports can be compared."
    ) { _ in
        Output.json(try CommandContext.run { try await Exporter(database: $0.database).export() })
    }
}
