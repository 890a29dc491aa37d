extension SeleID {
    /// All that `seleid` can do, in the order of `--help`.
    static let commands: [Command] =
        [ServeCommand.command, DevCommand.command, MigrateCommand.command]
        + [ApplyCommand.command, ExportCommand.command]
        + ClientCommands.commands + AccountCommands.commands + KeyCommands.commands
        + [VersionCommand.command]
}
