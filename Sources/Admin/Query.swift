import OpenID

/// The query of a request to the admin API. A parameter that nobody asks for is refused, so that a misspelt `dry_run` does
/// not change anything.
struct Query: Sendable {
    static let defaultLimit: Int64 = 50
    static let limitRange: ClosedRange<Int64> = 1...200

    private let parameters: Parameters
    let isDryRun: Bool

    /// - Throws: `Problem`.
    init(_ query: String?) throws {
        do {
            parameters = try Parameters(formEncoded: Array((query ?? "").utf8))
        } catch {
            throw Problem(.badRequest, "the query cannot be read: \(error)")
        }
        switch parameters["dry_run"] {
        case nil, "false": isDryRun = false
        case "true": isDryRun = true
        default: throw Self.problem("dry_run", "must be true or false")
        }
    }

    subscript(name: String) -> String? { parameters[name] }

    /// How many of a list: 1 to 200, 50 unless said.
    func limit() throws -> Int64 {
        guard let text = parameters["limit"] else { return Self.defaultLimit }
        guard let number = Int64(text), Self.limitRange.contains(number) else {
            throw Self.problem(
                "limit", "must be a whole number from \(Self.limitRange.lowerBound) to \(Self.limitRange.upperBound)")
        }
        return number
    }

    /// - Throws: `Problem` when there is a parameter that is not among the names, or one twice.
    func allow(_ names: String...) throws {
        for name in parameters.names where name != "dry_run" && !names.contains(name) {
            throw Self.problem(name, "there is no such parameter here")
        }
        for name in parameters.repeated { throw Self.problem(name, "must not be repeated") }
    }

    static func problem(_ name: String, _ reason: String) -> Problem {
        Problem(.badRequest, "\(name): \(reason)", fields: [.init(field: name, reason: reason)])
    }
}
