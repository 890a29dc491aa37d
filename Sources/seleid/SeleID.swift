import Glibc
import Postgres
import Provider

/// The program: finds the command, runs it, and turns whatever fails into one clear line and an exit code.
enum SeleID {
    static func main() -> Never {
        exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// - Returns: the exit code: 0, 1 when the work failed or the answer is no, 2 when the command line could not be understood.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            switch try Parser(commands: commands).parse(arguments) {
            case .help(let topic): printOut(Help(commands: commands).text(topic))
            case .run(let command, let invocation):
                do {
                    try command.run(invocation)
                } catch let error as UsageError {
                    throw UsageError(error.description, command: command.name)
                }
            }
            return 0
        } catch let error as UsageError {
            let help = error.command.isEmpty ? "seleid --help" : "seleid \(error.command) --help"
            printError("seleid: \(error)\nSee \(help).\n")
            return 2
        } catch is NegativeAnswer {
            return 1
        } catch {
            printError(lines(of: error))
            return 1
        }
    }

    /// Each line of a failure, with our name in front.
    private static func lines(of error: any Error) -> String {
        "\(explain(error))".split(separator: "\n").map { "seleid: \(printable(String($0)))\n" }.joined()
    }

    /// On the operator's own terminal the database's own words help more than they could give away.
    private static func explain(_ error: any Error) -> String {
        switch error {
        case DatabaseError.unavailable(let detail): "the database cannot be reached: \(oneLine(detail))"
        case DatabaseError.refused("42P01", _, _), DatabaseError.refused("3F000", _, _):
            "the database has no tables yet: run seleid migrate"
        case DatabaseError.refused(let state, _, let detail):
            "the database refused a statement (SQLSTATE \(state)): \(oneLine(detail))"
        default: "\(error)"
        }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}
