extension SeleID {
    /// All that `seleid` can do, in the order of `--help`.
    static let commands: [Command] =
        [ServeCommand.command, DevCommand.command, MigrateCommand.command]
        + [ApplyCommand.command, ExportCommand.command]
        + SwitchCommands.commands + ClientCommands.commands + AccountCommands.commands + KeyCommands.commands
        + AdminTokenCommands.commands
        + [VersionCommand.command]
}
