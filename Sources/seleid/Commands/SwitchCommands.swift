import Administration
import OpenID
import Storage

enum SwitchCommands {
    static let commands = [list, set]

    private static let list = Command(
        "switch", "list", summary: "List the switches and how each stands for everybody.",
        options: [Output.jsonOption]
    ) { invocation in
        let states = try CommandContext.run { try await SwitchStore(database: $0.database).all() }
        Output.list(Switch.allCases, invocation, json: states.json, ["SWITCH", "STATE", "DEFAULT"]) {
            [$0.rawValue, states[$0].rawValue, $0.defaultState.rawValue]
        }
    }

    private static let set = Command(
        "switch", "set", summary: "Turn a feature off, on per app, or on, for everybody.",
        positionals: ["NAME", "STATE"], options: [Output.dryRunOption],
        details: """
            NAME is one of \(names).
            STATE is off: for nobody, and the endpoint is gone; per_client: for the apps whose own switch is on (seleid
            client switch); on: for all apps but those whose own switch is off.
            """
    ) { invocation in
        let feature = try feature(invocation.positionals[0])
        let given = invocation.positionals[1]
        guard let state = Switch.State(rawValue: given) else {
            throw UsageError("STATE must be off, per_client or on, not \(quoted(given))")
        }
        try CommandContext.change(invocation) { _, changes in
            let isChange = try await changes.setSwitch(feature, to: state)
            return [
                isChange
                    ? "set switch \(feature.rawValue) to \(state.rawValue)" : "unchanged switch \(feature.rawValue)"
            ]
        }
    }

    static let names = Switch.allCases.map(\.rawValue).joined(separator: ", ")

    static func feature(_ name: String) throws -> Switch {
        if let feature = Switch(rawValue: name) { return feature }
        let hint = suggestion(name, among: Set(Switch.allCases.map(\.rawValue)))
        throw UsageError("there is no switch \(quoted(name))\(hint.isEmpty ? ": there are \(names)" : hint)")
    }
}
