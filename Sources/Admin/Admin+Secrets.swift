import Administration
import HTTP
import Issuance
import Storage

extension Admin {
    var secretRoutes: [Route] {
        [
            read("/clients/{client_id}/secrets", .clients, listSecrets),
            change(.post, "/clients/{client_id}/secrets", .clients, addSecret),
            change(.delete, "/clients/{client_id}/secrets/{secret_id}", .clients, deleteSecret),
        ]
    }

    private func listSecrets(_ call: Call) async throws -> Response {
        try call.query.allow()
        let store = ClientStore(database: database)
        let clientID = call.parameter("client_id")
        let secrets = try await store.secrets(of: clientID)
        if secrets.isEmpty, try await store.find(clientID) == nil {
            throw AdministrationError.noSuchClient(clientID)
        }
        return call.list(secrets.map(\.json), next: nil)
    }

    /// The one answer that holds the secret.
    private func addSecret(_ call: Call) async throws -> Response {
        try call.query.allow()
        let body = try call.body()
        let expiresAt = try call.expiry(in: body, now: now())
        try call.refuseOthers(in: body, "expires_at")
        let text = MasterKeys.makeClientSecret()
        let hash = masterKeys.hash(secret: text)
        let secret = try await run(call) { changes in
            try await changes.addSecret(
                hash, to: call.parameter("client_id"), expiresAt: expiresAt, whenFull: .refuse)
        }
        return call.created(secret.json, tellingOnce: "client_secret", text, id: secret.id)
    }

    private func deleteSecret(_ call: Call) async throws -> Response {
        try call.query.allow()
        let id = try call.identifier("secret_id", of: "secret")
        try await run(call) { changes in
            try await changes.deleteSecret(id, of: call.parameter("client_id"))
        }
        return call.done()
    }
}
