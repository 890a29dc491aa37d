import JSON
import SeededRandom
import Testing

@testable import seleid

@Suite("The command line") struct CommandLineTests {
    static let table = [
        Command(
            "add", summary: "Adds.", positionals: ["ID"],
            options: [
                .value("name", short: "n", "NAME", "a name"), .value("uri", "URI", repeats: true, "URIs"),
                .flag("public", "a flag"),
            ]
        ) { _ in },
        Command("set", summary: "Sets.", positionals: ["ID", "NAME=VALUE…"]) { _ in },
        Command("key", "list", summary: "Lists.") { _ in },
        Command("explain", summary: "Explains.", positionals: ["[URL]"]) { _ in },
        Command("key", "revoke", summary: "Revokes.", positionals: ["KID"]) { _ in },
    ]

    /// "name: positionals; options", or "help: topic".
    static func parse(_ arguments: [String], table: [Command] = table) throws -> String {
        switch try Parser(commands: table).parse(arguments) {
        case .help(let topic): return "help: \(topic)"
        case .run(let command, let invocation):
            return "\(command.name): \(invocation.positionals) \(invocation.value("name") ?? "-") "
                + "\(invocation.all("uri")) \(invocation.has("public"))"
        }
    }

    @Test(
        "what is typed is understood",
        arguments: [
            (["add", "x"], #"add: ["x"] - [] false"#),
            (["add", "--name", "N", "x"], #"add: ["x"] N [] false"#),
            (["add", "x", "--name=N"], #"add: ["x"] N [] false"#),
            (["key", "revoke", "-aB_3"], #"key revoke: ["-aB_3"] - [] false"#),
            (["add", "x", "--name=a=b"], #"add: ["x"] a=b [] false"#),
            (["add", "x", "--name="], #"add: ["x"]  [] false"#),
            (["add", "-n", "N", "x"], #"add: ["x"] N [] false"#),
            (["add", "--uri", "1", "x", "--uri", "2", "--public"], #"add: ["x"] - ["1", "2"] true"#),
            (["add", "--name", "--public", "x"], #"add: ["x"] --public [] false"#),
            (["add", "--", "--name"], #"add: ["--name"] - [] false"#),
            (["add", "-"], #"add: ["-"] - [] false"#),
            (["key", "list"], "key list: [] - [] false"),
            (["set", "x", "a=1"], #"set: ["x", "a=1"] - [] false"#),
            (["set", "x", "a=1", "b=2", "c=3"], #"set: ["x", "a=1", "b=2", "c=3"] - [] false"#),
            (["explain"], "explain: [] - [] false"), (["explain", "x"], #"explain: ["x"] - [] false"#),
            (["--help"], "help: "), (["-h"], "help: "), (["help"], "help: "),
            (["help", "key"], "help: key"), (["help", "key", "revoke"], "help: key revoke"),
            (["key", "--help"], "help: key"), (["key", "revoke", "--help"], "help: key revoke"),
            (["add", "--name", "x", "-h"], "help: add"),
        ])
    func understood(arguments: [String], expected: String) throws {
        #expect(try Self.parse(arguments) == expected)
    }

    @Test(
        "what cannot be understood is told, with the command whose help says more",
        arguments: [
            ([], "a command is missing", ""),
            (["ad", "x"], "there is no command \"ad\"; did you mean add?", ""),
            (["xyzzy"], "there is no command \"xyzzy\"", ""),
            (["key"], "key needs one of list, revoke", "key"),
            (["key", "lst"], "key has no \"lst\"; did you mean list?", "key"),
            (["key", "xyzzy"], "key has no \"xyzzy\": there is list, revoke", "key"),
            (["key", "revoke"], "KID is missing", "key revoke"),
            (["set", "x"], "NAME=VALUE… is missing", "set"),
            (["key", "list", "x"], "\"x\" is one argument too many", "key list"),
            (["explain", "x", "y"], "\"y\" is one argument too many", "explain"),
            (["add", "x", "--nam", "N"], "there is no option \"--nam\"; did you mean --name?", "add"),
            (["add", "x", "-z"], "there is no option \"-z\"", "add"),
            (["add", "x", "--name"], "--name needs a value", "add"),
            (["add", "x", "--name", "1", "--name", "2"], "--name may be given only once", "add"),
            (["add", "x", "--public=yes"], "--public takes no value", "add"),
            (["help", "keys"], "there is no command \"keys\"", ""),
            (["a\u{1b}[2Jb"], "there is no command \"a?[2Jb\"", ""),
        ])
    func refused(arguments: [String], message: String, command: String) {
        let error = #expect(throws: UsageError.self) { try Self.parse(arguments) }
        #expect(error == UsageError(message, command: command))
    }

    @Test("every command has a place of its own, a summary and help that names its options", arguments: SeleID.commands)
    func helpIsComplete(command: Command) {
        #expect(SeleID.commands.filter { $0.path == command.path }.count == 1)
        #expect(command.summary.hasSuffix("."))
        let text = Help(commands: SeleID.commands).text(command.name)
        #expect(text.hasPrefix("Usage: seleid \(command.name)"))
        for option in command.options { #expect(text.contains("--\(option.name)")) }
        for line in text.split(separator: "\n") { #expect(line.count <= 120) }
        #expect(Help(commands: SeleID.commands).text("").contains("  \(command.name)"))
    }

    @Test(
        "spans of time",
        arguments: [
            ("90d", 7_776_000), ("12h", 43_200), ("1m", 60), ("2w", 1_209_600), ("3650d", 315_360_000),
            ("3651d", nil), ("0d", nil), ("d", nil), ("90", nil), ("", nil), ("-1d", nil), ("1.5h", nil), ("90 d", nil),
            ("+1d", nil), ("٣d", nil), ("99999999999999999999d", nil), ("1D", nil), ("1s", nil),
        ] as [(String, Int64?)])
    func timeSpans(text: String, seconds: Int64?) { #expect(TimeSpan.seconds(text) == seconds) }

    @Test(
        "what is set is JSON, or else text as it stands",
        arguments: [
            (["a=1"], #"{"a":1}"#), (["a=b c"], #"{"a":"b c"}"#), (["a="], #"{"a":""}"#), (["a=null"], #"{"a":null}"#),
            ([#"a="1""#], #"{"a":"1"}"#), ([#"a=["x","y"]"#, "b=true"], #"{"a":["x","y"],"b":true}"#),
            (["a=https://x/?b=c"], #"{"a":"https://x/?b=c"}"#), (["a={"], #"{"a":"{"}"#),
        ])
    func patches(arguments: [String], json: String) throws {
        let patch = JSON.object(try Assignments.patch(arguments[...]))
        #expect(String(decoding: patch.serialized(), as: UTF8.self) == json)
    }

    @Test("what sets nothing is refused", arguments: [["a"], ["=1"], [""], ["a=1", "a=2"]])
    func noPatches(arguments: [String]) {
        #expect(throws: UsageError.self) { try Assignments.patch(arguments[...]) }
    }

    @Test("any mutation of a command line is understood or refused, and never traps")
    func mutations() {
        var generator = SeededGenerator(seed: 2)
        let seeds = ["add x --name N --uri 1", "key revoke k", "help key list", "client add -f - --public=1 -- --x"]
        let pieces = ["--", "-", "=", "--name", "-n", "é", "", "\0", "--=", "-h", "key", "add"]
        for _ in 0..<20_000 {
            var words = (seeds.randomElement(using: &generator) ?? "").split(separator: " ").map(String.init)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...words.count, using: &generator)
                words.insert(pieces.randomElement(using: &generator) ?? "", at: place)
                if Bool.random(using: &generator) {
                    words.remove(at: Int.random(in: 0..<words.count, using: &generator))
                }
            }
            do {
                _ = try Self.parse(words, table: Self.table + SeleID.commands)
            } catch {
                #expect(error is UsageError)
            }
        }
    }
}

extension Command: CustomTestStringConvertible {
    public var testDescription: String { name }
}
