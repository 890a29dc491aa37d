import Administration
import HTTP
import Issuance
import JSON
import Storage

extension Admin {
    var keyRoutes: [Route] {
        [
            read("/keys", .keys, listKeys),
            change(.post, "/keys/rotate", .keys, rotateKeys),
            change(.delete, "/keys/{kid}", .keys, revokeKey),
        ]
    }

    private var keys: KeyAdministration {
        KeyAdministration(store: SigningKeyStore(database: database), masterKeys: masterKeys)
    }

    private func listKeys(_ call: Call) async throws -> Response {
        try call.query.allow()
        let now = now()
        return call.list(try await keys.list().map { $0.json(at: now) }, next: nil)
    }

    private func rotateKeys(_ call: Call) async throws -> Response {
        try call.query.allow()
        let key = try await run(call) { changes in
            try await changes.rotateKey(keys)
        }
        return .json(key.json(at: now()).serialized())
    }

    private func revokeKey(_ call: Call) async throws -> Response {
        try call.query.allow()
        try await run(call) { changes in
            try await changes.revokeKey(call.parameter("kid"), keys)
        }
        return call.done()
    }
}
