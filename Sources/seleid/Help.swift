import Provider

/// Texts of `--help`, made from the table of commands.
struct Help {
    let commands: [Command]

    /// - Parameter topic: a command's name, a group, or "" for everything.
    func text(_ topic: String) -> String {
        if let command = commands.first(where: { $0.name == topic }) { return text(of: command) }
        let shown = topic.isEmpty ? commands : commands.filter { $0.path[0] == topic }
        var text = "Usage: seleid \(topic.isEmpty ? "" : "\(topic) ")COMMAND [OPTIONS]\n\n"
        text += columns(shown.map { ($0.name + positionals($0), $0.summary) })
        text += "\nEach has --help.\n"
        if topic.isEmpty { text += "Settings come from environment variables: see Docs/configuration.md.\n" }
        return text
    }

    private func text(of command: Command) -> String {
        let options = command.options.isEmpty ? "" : " [OPTIONS]"
        var text = "Usage: seleid \(command.name)\(options)\(positionals(command))\n\n\(command.summary)\n"
        if !command.details.isEmpty { text += "\n\(command.details)\n" }
        text += "\n"
        text += columns(
            command.options.map { option in
                let short = option.short.map { "-\($0), " } ?? ""
                let value = option.value.map { " \($0)" } ?? ""
                return ("\(short)--\(option.name)\(value)", option.help + (option.repeats ? " (repeatable)" : ""))
            } + [("--help", "this text")])
        return text
    }

    private func positionals(_ command: Command) -> String { command.positionals.map { " \($0)" }.joined() }

    private func columns(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)\n" }.joined()
    }
}

/// What was typed, safe to show in a terminal.
func quoted(_ text: String) -> String {
    "\"\(printable(String(text.unicodeScalars.prefix(80))))\""
}

/// "; did you mean …?" when a known word is close to the typed one.
func suggestion(_ typed: String, among known: Set<String>) -> String {
    let nearest = known.sorted().map { ($0, editDistance($0, typed)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= max(1, nearest.0.count / 3) else { return "" }
    return "; did you mean \(nearest.0)?"
}
