import ASCII
import OpenID
import Telemetry

/// The query of a request to the admin API. A parameter that nobody asks for is refused, so that a misspelt `dry_run` does
/// not change anything; so is one that comes twice, and one without a value: a filter that a script has left empty must not
/// stand for all there is.
struct Query: Sendable {
    private let parameters: Parameters
    private let isChange: Bool
    /// `?dry_run=true`: all is done and said, and rolled back.
    let isDryRun: Bool

    /// - Parameter isChange: whether there is a `dry_run`. What only looks has none.
    /// - Throws: `Problem`.
    init(_ query: String?, isChange: Bool) throws {
        do {
            parameters = try Parameters(formEncoded: Array((query ?? "").utf8))
        } catch {
            throw Problem(.badRequest, "the query cannot be read: \(error)")
        }
        for name in parameters.repeated { throw Self.problem(name, "must not be repeated") }
        for name in parameters.names where parameters[name] == nil {
            throw Self.problem(name, "must not be empty; leave it out")
        }
        self.isChange = isChange
        isDryRun = isChange && parameters["dry_run"] == "true"
        if isChange, let text = parameters["dry_run"], text != "true", text != "false" {
            throw Self.problem("dry_run", "must be true or false")
        }
    }

    /// - Throws: `Problem` when there is a parameter that is not among the names.
    func allow(_ names: String...) throws { try allow(names) }

    func allow(_ names: [String]) throws {
        for name in parameters.names where !names.contains(name) && !(isChange && name == "dry_run") {
            throw Self.problem(name, "there is no such parameter here")
        }
    }

    /// The value; nil when missing, never empty.
    subscript(name: String) -> String? { parameters[name] }

    /// How many of a list at most.
    func limit(upTo most: Int64 = 200, unlessSaid standard: Int64 = 50) throws -> Int64 {
        try wholeNumber("limit", in: 1...most) ?? standard
    }

    /// A number in decimal digits; nil when missing.
    func wholeNumber(_ name: String, in range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64? {
        guard let text = parameters[name] else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int64(text), range.contains(number) else {
            throw Self.problem(
                name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A time (RFC 3339) as Unix seconds; nil when missing.
    func time(_ name: String) throws -> Int64? {
        guard let text = parameters[name] else { return nil }
        guard let seconds = Timestamp.unixSeconds(of: text) else {
            throw Self.problem(name, "must be a time such as 2026-01-31T23:59:59Z (RFC 3339)")
        }
        return seconds
    }

    static func problem(_ name: String, _ reason: String) -> Problem {
        Problem(.badRequest, "\(name): \(reason)", fields: [.init(field: name, reason: reason)])
    }
}
