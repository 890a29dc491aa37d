import Glibc
import JSON
import Provider

/// How commands print.
enum Output {
    static let jsonOption = Command.Option.flag("json", "print JSON")

    static func json(_ json: JSON) { printOut(String(decoding: json.serialized(pretty: true), as: UTF8.self) + "\n") }

    /// Columns under headings; the last is not padded.
    static func table(_ headings: [String], _ rows: [[String]]) {
        let all = [headings] + rows
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

    /// RFC 3339 in UTC, to the second.
    static func time(_ unixSeconds: Int64) -> String {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func time(_ unixSeconds: Int64?) -> JSON { unixSeconds.map { .string(time($0)) } ?? .null }
}
