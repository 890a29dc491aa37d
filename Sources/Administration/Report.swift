import JSON
import OpenID
import Storage

// What was done, a line each, such as `updated client web1 (scope)`: names, never values.

extension ClientEntry {
    /// - Returns: none when nothing was done.
    public static func report(from before: ClientEntry?, to after: ClientEntry) -> [String] {
        let name = "client \(after.metadata.clientID)"
        var lines: [String] = []
        if let before {
            let members = differingMembers(before.metadata.json, after.metadata.json)
            if !members.isEmpty { lines.append("updated \(name) (\(members.joined(separator: ", ")))") }
        } else {
            lines.append("created \(name)")
        }
        if before?.isEnabled ?? true != after.isEnabled {
            lines.append("\(after.isEnabled ? "enabled" : "disabled") \(name)")
        }
        return lines
    }
}

extension AccountEntry {
    /// - Returns: none when nothing was done.
    public static func report(from before: AccountEntry?, to after: AccountEntry) -> [String] {
        let name = "account \(after.username)"
        var lines: [String] = []
        if let before {
            var members = differingMembers(before.claims, after.claims)
            if !before.username.isIdentical(to: after.username) { members.append("username") }
            if !members.isEmpty { lines.append("updated \(name) (\(members.joined(separator: ", ")))") }
        } else {
            lines.append("created \(name)")
        }
        if before?.status ?? .active != after.status { lines.append("\(after.status.deed) \(name)") }
        return lines
    }
}

extension AccountStatus {
    fileprivate var deed: String {
        switch self {
        case .active: "enabled"
        case .disabled: "disabled"
        case .closed: "closed"
        }
    }
}

/// The names of the members in which two objects differ, sorted.
private func differingMembers(_ a: JSON, _ b: JSON) -> [String] {
    let names = Set((a.objectValue ?? []).map(\.name) + (b.objectValue ?? []).map(\.name))
    return names.filter { name in
        guard let first = a[name], let second = b[name] else { return true }
        return !hasSameText(first, second)
    }.sorted()
}
