import Administration
import Issuance
import Postgres
import Storage

/// The admin token of `dev`, kept in a file of its owner's: for trying out the admin API.
struct DevelopmentToken: Sendable {
    let path: String

    /// Makes one at the first start, and when the one that is there is not good any more.
    func prepare(_ database: Database, _ masterKeys: MasterKeys, by administrator: Administrator) async throws {
        let secrets = AdminTokenSecrets(masterKeys)
        if Files.exists(path), let hash = secrets.hash(trimmed(try Files.readText(path, limit: 4096))),
            try await AdminTokenStore(database: database).use(hash: hash) != nil
        {
            return
        }
        let made = try await ChangeRunner(database: database).run(by: administrator) { changes in
            try await changes.addAdminToken(
                name: "seleid dev", role: .admin, areas: nil, expiresAt: nil, secrets: secrets)
        }
        try Files.write(made.text + "\n", to: path, mode: 0o600)
    }
}
