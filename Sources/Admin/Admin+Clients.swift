import ASCII
import Administration
import HTTP
import JSON
import OpenID
import OpenSSL
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
        return call.page(of: found, limit: limit, json: \.json, place: \.metadata.clientID)
    }

    private func readClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        return call.resource(try await client(of: call).json)
    }

    private func createClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let body = try call.body()
        // One without an id, or whose id is no text, which is told with all else that is wrong with it, gets a random one.
        let entry = try ClientEntry(json: body, of: body["client_id"]?.stringValue ?? randomBytes(16).hexadecimal)
        let client = try await run(call) { changes in
            try await changes.createClient(entry)
        }
        return call.resource(client.json, status: 201, at: client.metadata.clientID)
    }

    private func replaceClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let entry = try ClientEntry(json: try call.body(), of: call.parameter("client_id"))
        let (client, isNew) = try await run(call) { changes in
            try await changes.putClient(entry, if: call.precondition)
        }
        return call.resource(client.json, status: isNew ? 201 : 200)
    }

    /// RFC 7396: what is null goes back to its default.
    private func patchClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        let clientID = call.parameter("client_id")
        let patch = try call.body("application/merge-patch+json", "application/json")
        let client = try await run(call) { changes in
            try await changes.changeClient(clientID, if: call.precondition) { json in
                try ClientEntry(json: json.merged(with: patch), of: clientID)
            }
        }
        return call.resource(client.json)
    }

    private func deleteClient(_ call: Call) async throws -> Response {
        try call.query.allow()
        try await run(call) { changes in
            try await changes.deleteClient(call.parameter("client_id"), if: call.precondition)
        }
        return call.done()
    }

    /// The client of the path.
    func client(of call: Call) async throws -> ClientRecord {
        let clientID = call.parameter("client_id")
        guard let client = try await clients.find(clientID) else { throw AdministrationError.noSuchClient(clientID) }
        return client
    }
}
