import JSON

/// What is set by arguments such as `client_name=Acme`, `default_max_age=3600` or `logo_uri=null`.
enum Assignments {
    static let name = "NAME=VALUE…"

    /// The arguments as a JSON Merge Patch (RFC 7396): a value is JSON, or else text as it stands.
    static func patch(_ arguments: ArraySlice<String>) throws(UsageError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        for argument in arguments {
            guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else {
                throw UsageError("\(quoted(argument)) must be NAME=VALUE")
            }
            let name = String(argument[..<sign])
            if members.contains(where: { $0.name == name }) { throw UsageError("\(quoted(name)) is given twice") }
            let text = String(argument[argument.index(after: sign)...])
            members.append(.init(name, (try? JSON(parsing: Array(text.utf8))) ?? .string(text)))
        }
        return members
    }
}
