/// One thing that `seleid` can do, as a table row: its words, what it takes, and what runs.
struct Command: Sendable {
    struct Option: Sendable {
        /// Without dashes.
        let name: String
        let short: Character?
        /// What help calls the value; nil for a flag.
        let value: String?
        let repeats: Bool
        let help: String

        /// Takes a value: `--name VALUE` or `--name=VALUE`.
        static func value(
            _ name: String, short: Character? = nil, _ value: String, repeats: Bool = false, _ help: String
        ) -> Option {
            Option(name: name, short: short, value: value, repeats: repeats, help: help)
        }

        /// Takes none.
        static func flag(_ name: String, _ help: String) -> Option {
            Option(name: name, short: nil, value: nil, repeats: false, help: help)
        }
    }

    /// The words after `seleid`, such as `["client", "add"]`.
    let path: [String]
    let summary: String
    /// Names of the positional arguments, all of which must be there. The last may end in "…": one or more of it; or be in
    /// brackets: it may be left out.
    let positionals: [String]
    let options: [Option]
    /// More for `--help`.
    let details: String
    let run: @Sendable (Invocation) throws -> Void

    init(
        _ path: String..., summary: String, positionals: [String] = [], options: [Option] = [], details: String = "",
        run: @escaping @Sendable (Invocation) throws -> Void
    ) {
        self.path = path
        self.summary = summary
        self.positionals = positionals
        self.options = options
        self.details = details
        self.run = run
    }

    var name: String { path.joined(separator: " ") }
    var takesMore: Bool { positionals.last?.hasSuffix("…") == true }
    var neededPositionals: [String] { positionals.filter { !$0.hasPrefix("[") } }
}

/// What the person typed, checked against a command's row.
struct Invocation: Sendable, Equatable {
    private(set) var positionals: [String] = []
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []

    init() {}

    /// All values of an option, in order.
    func all(_ option: String) -> [String] { values[option] ?? [] }
    func value(_ option: String) -> String? { values[option]?.first }
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    fileprivate mutating func add(positional: String) { positionals.append(positional) }
    fileprivate mutating func add(_ value: String, for option: String) { values[option, default: []].append(value) }
    fileprivate mutating func set(_ flag: String) { flags.insert(flag) }
}

/// The command line cannot be understood: exit code 2.
struct UsageError: Error, CustomStringConvertible, Equatable {
    let description: String
    /// The command whose help says more.
    var command = ""

    init(_ description: String, command: String = "") {
        self.description = description
        self.command = command
    }
}

/// A command has said all it has to say, and the answer is no: exit code 1.
struct NegativeAnswer: Error {}

/// What a command line asks for.
enum Parsed {
    case run(Command, Invocation)
    /// Help on a command, on a group of them ("client"), or on everything ("").
    case help(String)
}

/// Understands command lines by the table of commands.
struct Parser {
    let commands: [Command]

    /// - Parameter arguments: without the program's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Parsed {
        var words = arguments[...]
        if words.first == "help" {
            words.removeFirst()
            return .help(try topic(words))
        }
        guard let first = words.first else { throw UsageError("a command is missing") }
        if first == "--help" || first == "-h" { return .help("") }
        // The longest path that fits: "client add" before "client".
        let fitting = commands.filter { words.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
        guard let command = fitting else {
            // A group: "client" alone, or with a word we do not know.
            let group = commands.filter { $0.path.first == first }
            if group.isEmpty {
                throw UsageError(
                    "there is no command \(quoted(first))\(suggestion(first, among: Set(commands.map { $0.path[0] })))")
            }
            words.removeFirst()
            if words.contains("--help") || words.contains("-h") { return .help(first) }
            guard let second = words.first else {
                throw UsageError("\(first) needs one of \(choices(group))", command: first)
            }
            let hint = suggestion(second, among: Set(group.map { $0.path[1] }))
            let help = hint.isEmpty ? ": there is \(choices(group))" : hint
            throw UsageError("\(first) has no \(quoted(second))\(help)", command: first)
        }
        words.removeFirst(command.path.count)
        return try parse(words, of: command)
    }

    private func topic(_ words: ArraySlice<String>) throws(UsageError) -> String {
        let topic = words.joined(separator: " ")
        let isKnown = topic.isEmpty || commands.contains { $0.name == topic || $0.path[0] == topic }
        guard isKnown else { throw UsageError("there is no command \(quoted(topic))") }
        return topic
    }

    private func parse(_ arguments: ArraySlice<String>, of command: Command) throws(UsageError) -> Parsed {
        func failure(_ text: String) -> UsageError { UsageError(text, command: command.name) }
        var invocation = Invocation()
        var rest = arguments
        var takesOptions = true
        while let argument = rest.popFirst() {
            if takesOptions, argument == "--" {
                takesOptions = false
                continue
            }
            // "-" alone is a file name: standard input.
            guard takesOptions, argument.hasPrefix("-"), argument.count > 1 else {
                invocation.add(positional: argument)
                continue
            }
            if argument == "--help" || argument == "-h" { return .help(command.name) }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let isLong = argument.hasPrefix("--")
            let shown = String(isLong ? parts[0] : argument[...])
            let found = command.options.first { option in
                isLong ? shown == "--\(option.name)" : option.short.map { argument == "-\($0)" } == true
            }
            // Ids of keys and sessions may begin with a dash. (Two of them, which is rarer, need a "--" in front.)
            if found == nil, !isLong, argument.count > 2, invocation.positionals.count < command.positionals.count {
                invocation.add(positional: argument)
                continue
            }
            guard let option = found else {
                let hint = suggestion(shown, among: Set(command.options.map { "--\($0.name)" }))
                throw failure("there is no option \(quoted(shown))\(hint)")
            }
            guard option.value != nil else {
                if isLong, parts.count == 2 { throw failure("--\(option.name) takes no value") }
                invocation.set(option.name)
                continue
            }
            let value = isLong && parts.count == 2 ? String(parts[1]) : rest.popFirst()
            guard let value else { throw failure("--\(option.name) needs a value") }
            if !option.repeats, invocation.value(option.name) != nil {
                throw failure("--\(option.name) may be given only once")
            }
            invocation.add(value, for: option.name)
        }
        let given = invocation.positionals.count
        let needed = command.neededPositionals
        if given < needed.count { throw failure("\(needed[given]) is missing") }
        if given > command.positionals.count, !command.takesMore {
            throw failure("\(quoted(invocation.positionals[command.positionals.count])) is one argument too many")
        }
        return .run(command, invocation)
    }

    private func choices(_ group: [Command]) -> String { group.map { $0.path[1] }.joined(separator: ", ") }
}
