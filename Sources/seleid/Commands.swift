extension SeleID {
    /// All that `seleid` can do, in the order of `--help`.
    static let commands: [Command] =
        [ServeCommand.command, DevCommand.command, MigrateCommand.command]
        + [ApplyCommand.command, ExportCommand.command]
        + SwitchCommands.commands + ClientCommands.commands + AccountCommands.commands
        + SessionCommands.commands + GrantCommands.commands + ConsentCommands.commands
        + KeyCommands.commands + AdminTokenCommands.commands + AuditCommands.commands
        + [ExplainCommand.command, VersionCommand.command]
}
