import Administration
import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var clientRoutes: [Route] {
        [
            read("/clients", .clients, listClients),
            change(.post, "/clients", .clients, createClient),
            read("/clients/{client_id}", .clients, readClient),
            change(.put, "/clients/{client_id}", .clients, replaceClient),
            change(.patch, "/clients/{client_id}", .clients, patchClient),
            change(.delete, "/clients/{client_id}", .clients, deleteClient),
        ]
    }

    private var clients: ClientStore { ClientStore(database: database) }

    private func listClients(_ call: Call) async throws -> Response {
        try call.query.allow("q", "after", "limit")
        let limit = try call.query.limit()
        // One more than asked for tells whether there is a next page.
        let found = try await clients.page(
            after: call.query["after"] ?? "", holding: call.query["q"] ?? "", limit: limit + 1)
        let page = found.prefix(Int(limit))
        return call.list(page.map(\.json), next: found.count > page.count ? page.last?.metadata.clientID : nil)
    }

    private func readClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        return call.resource(try await find(call.parameter("client_id")).json)
    }

    private func createClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let entry = try ClientEntry(json: try call.body())
        let client = try await changes.run(by: call.administrator, isDryRun: call.isDryRun) { changes in
            try await changes.createClient(entry)
        }
        return call.resource(client.json, status: 201)
    }

    private func replaceClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let entry = try entry(from: try call.body(), clientID: call.parameter("client_id"))
        let (client, isNew) = try await changes.run(by: call.administrator, isDryRun: call.isDryRun) { changes in
            try await changes.putClient(entry, if: call.precondition)
        }
        return call.resource(client.json, status: isNew ? 201 : 200)
    }

    /// RFC 7396: what is null goes back to its default.
    private func patchClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let clientID = call.parameter("client_id")
        let patch = try call.body("application/merge-patch+json", "application/json")
        let client = try await changes.run(by: call.administrator, isDryRun: call.isDryRun) { changes in
            try await changes.changeClient(clientID, if: call.precondition) { json in
                try entry(from: json.merged(with: patch), clientID: clientID)
            }
        }
        return call.resource(client.json)
    }

    private func deleteClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        try await changes.run(by: call.administrator, isDryRun: call.isDryRun) { changes in
            try await changes.deleteClient(call.parameter("client_id"), if: call.precondition)
        }
        return call.done()
    }

    /// What stands in a body, which may be what was read here, and must not be about another client.
    private func entry(from json: JSON, clientID: String) throws -> ClientEntry {
        var members = (json.objectValue ?? []).filter { $0.name != "created_at" && $0.name != "updated_at" }
        if json["client_id"] == nil { members.append(.init("client_id", .string(clientID))) }
        let entry = try ClientEntry(json: .object(members))
        guard entry.metadata.clientID == clientID else {
            throw AdministrationError.invalid([.init(field: "client_id", reason: "must be the one of the path")])
        }
        return entry
    }

    private func find(_ clientID: String) async throws -> ClientRecord {
        guard let client = try await clients.find(clientID) else {
            throw AdministrationError.notFound("there is no client \(clientID)")
        }
        return client
    }
}

extension JSON {
    /// JSON Merge Patch (RFC 7396).
    func merged(with patch: JSON) -> JSON {
        guard let changes = patch.objectValue else { return patch }
        var members = objectValue ?? []
        for change in changes {
            let index = members.firstIndex { $0.name == change.name }
            switch (change.value, index) {
            case (.null, let index?): members.remove(at: index)
            case (.null, nil): break
            case (_, let index?): members[index].value = members[index].value.merged(with: change.value)
            case (_, nil): members.append(.init(change.name, JSON.object([]).merged(with: change.value)))
            }
        }
        return .object(members)
    }
}
