import JSON
import Postgres

/// SQL for a time in whole Unix seconds, rounded down; NULL stays NULL.
func unixSeconds(_ time: String) -> String { "floor(extract(epoch FROM \(time)))::bigint" }

extension Parameter {
    /// For a place that casts it to `jsonb`.
    static func json(_ value: JSON) -> Parameter { .text(String(decoding: value.serialized(), as: UTF8.self)) }
}

extension Row {
    /// A column of json, jsonb, or text that holds JSON.
    func json(_ column: Int) throws(JSON.SyntaxError) -> JSON { try JSON(parsing: string(column).utf8) }
}
