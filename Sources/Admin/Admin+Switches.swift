import Administration
import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var switchRoutes: [Route] {
        [
            read("/switches", .switches, listSwitches),
            read("/switches/{name}", .switches, readSwitch),
            change(.put, "/switches/{name}", .switches, setSwitch),
        ]
    }

    private func listSwitches(_ call: Call) async throws -> Response {
        try call.query.allow()
        let states = try await SwitchStore(database: database).all()
        return call.list(Switch.allCases.map(states.json), next: nil)
    }

    private func readSwitch(_ call: Call) async throws -> Response {
        try call.query.allow()
        let feature = try feature(call)
        return call.resource(try await SwitchStore(database: database).all().json(of: feature))
    }

    private func setSwitch(_ call: Call) async throws -> Response {
        try call.query.allow()
        let feature = try feature(call)
        let body = try call.body()
        guard let state = body["state"]?.stringValue.flatMap(Switch.State.init(rawValue:)) else {
            throw AdministrationError.invalid([.init(field: "state", reason: "must be off, per_client or on")])
        }
        guard body["name"].map({ $0 == .string(feature.rawValue) }) ?? true else {
            throw Problem.field("name", "must be \(feature.rawValue) or left out")
        }
        try call.refuseOthers(in: body, "state", "name", "default")
        let states = try await run(call) { changes in
            try await changes.setSwitch(feature, to: state, if: call.precondition)
            return try await changes.switches()
        }
        return call.resource(states.json(of: feature))
    }

    private func feature(_ call: Call) throws -> Switch {
        let name = call.parameter("name")
        guard let feature = Switch(rawValue: name) else {
            throw AdministrationError.notFound(
                "there is no such switch; there are \(Switch.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return feature
    }
}
