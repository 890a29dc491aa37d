import Administration
import JSON
import OpenID
import Storage

extension ClientCommands {
    static let changes = [set, `switch`, enable, disable, delete]

    private static let set = Command(
        "client", "set", summary: "Change members of an app's metadata; the others stay.",
        positionals: ["ID", Assignments.name], options: [Output.dryRunOption],
        details: """
            NAME is a member as seleid client show has it, VALUE is JSON, or else text as it stands; null takes the member
            back to its default: seleid client set web1 client_name=Acme default_max_age=3600 'redirect_uris=["https://…"]'
            """
    ) { invocation in
        let clientID = invocation.positionals[0]
        let patch = JSON.object(try Assignments.patch(invocation.positionals.dropFirst()))
        try change(clientID, invocation) { try ClientEntry(json: $0.json.merged(with: patch), of: clientID) }
    }

    private static let `switch` = Command(
        "client", "switch", summary: "Turn a feature on or off for one app.",
        positionals: ["ID", "NAME", "on|off|default"],
        options: [Output.dryRunOption],
        details: """
            NAME is one of \(SwitchCommands.names).
            It counts where the switch for everybody (seleid switch list) is per_client, and off counts also where that is
            on. default: the app's own switch says nothing.
            """
    ) { invocation in
        let clientID = invocation.positionals[0]
        let feature = try SwitchCommands.feature(invocation.positionals[1])
        let settings: [String: Bool?] = ["on": true, "off": false, "default": nil]
        guard let setting = settings[invocation.positionals[2]] else {
            throw UsageError("a switch of an app can be on, off or default, not \(quoted(invocation.positionals[2]))")
        }
        try CommandContext.change(invocation) { _, changes in
            let before = try await changes.client(clientID)
            let after = try await changes.changeClient(clientID) { json in
                var entry = try ClientEntry(json: json, of: clientID)
                entry.metadata.set(feature, to: setting)
                return entry
            }
            let name = "switch \(feature.rawValue) of client \(clientID)"
            var lines = [
                before.entry == after.entry ? "unchanged \(name)" : "set \(name) to \(invocation.positionals[2])"
            ]
            let state = try await changes.switches()[feature]
            if state == .off, setting == true {
                lines.append("It is off for everybody until: seleid switch set \(feature.rawValue) per_client")
            }
            return lines
        }
    }

    private static let enable = Command(
        "client", "enable", summary: "Let a disabled app in again. What it had before does not come back.",
        positionals: ["ID"], options: [Output.dryRunOption]
    ) { try setEnabled(true, $0) }

    private static let disable = Command(
        "client", "disable", summary: "Lock an app out at once, and end all that people have granted it.",
        positionals: ["ID"], options: [Output.dryRunOption]
    ) { try setEnabled(false, $0) }

    private static func setEnabled(_ isEnabled: Bool, _ invocation: Invocation) throws {
        try change(invocation.positionals[0], invocation) { client in
            ClientEntry(metadata: client.metadata, isEnabled: isEnabled)
        }
    }

    private static func change(
        _ clientID: String, _ invocation: Invocation, _ body: @escaping @Sendable (ClientRecord) throws -> ClientEntry
    ) throws {
        try CommandContext.change(invocation) { _, changes in
            let before = try await changes.client(clientID)
            let entry = try body(before)
            _ = try await changes.putClient(entry)
            let lines = ClientEntry.report(from: before.entry, to: entry)
            return lines.isEmpty ? ["unchanged client \(clientID)"] : lines
        }
    }

    private static let delete = Command(
        "client", "delete", summary: "Delete an app with its secrets, grants and consents.", positionals: ["ID"],
        options: [Output.dryRunOption], details: "For good; seleid client disable locks it out and keeps it."
    ) { invocation in
        let clientID = invocation.positionals[0]
        try CommandContext.change(invocation) { _, changes in
            try await changes.deleteClient(clientID)
            return ["deleted client \(clientID)"]
        }
    }
}
