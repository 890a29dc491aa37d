import JSON
import Provider
import Telemetry

/// How commands print.
enum Output {
    static let jsonOption = Command.Option.flag("json", "print JSON")
    static let dryRunOption = Command.Option.flag("dry-run", "print what would change, change nothing")

    static func json(_ json: JSON) { printOut(String(decoding: json.serialized(pretty: true), as: UTF8.self) + "\n") }

    /// What a command has changed, a line each.
    static func changes(_ lines: [String], _ invocation: Invocation) {
        for line in lines { printOut("\(printable(line))\n") }
        if invocation.isDryRun { printOut("dry run: nothing was written\n") }
    }

    /// What a command lists: JSON with `--json`, otherwise a row for each under headings.
    static func list<Item>(
        _ items: [Item], _ invocation: Invocation, json: (Item) -> JSON, _ headings: [String],
        row: (Item) -> [String]
    ) {
        if invocation.has(jsonOption.name) {
            Output.json(.array(items.map(json)))
        } else {
            table(headings, items.map(row))
        }
    }

    /// Columns under headings; the last is not padded.
    private static func table(_ headings: [String], _ rows: [[String]]) {
        let all = [headings] + rows.map { $0.map(printable) }
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            var line = ""
            for (column, text) in row.enumerated() {
                line += text
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - text.count + 2) }
            }
            printOut(line + "\n")
        }
    }

    /// RFC 3339 in UTC, to the second; "-" for none.
    static func time(_ unixSeconds: Int64?) -> String {
        unixSeconds.map { Timestamp.text(ofUnixSeconds: $0) } ?? "-"
    }
}

extension Invocation {
    var isDryRun: Bool { has(Output.dryRunOption.name) }
}

/// What came from elsewhere, safe to show in a terminal: without control characters, line breaks, and what turns the
/// direction of writing.
func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: "?"
                default: scalar.properties.isBidiControl ? "?" : scalar
                }
            }))
}
