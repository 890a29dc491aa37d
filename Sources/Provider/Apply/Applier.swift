import Administration
import Argon2
import Issuance
import JSON
import OpenID
import Postgres
import Storage

/// Makes the database say what an `ApplyFile` says. What the file does not name stays as it is.
///
/// First everything is compared, and passwords and secrets are checked; then what differs is written in one transaction, so
/// that a failure leaves nothing half done. Applying the same file again writes nothing.
public struct Applier: Sendable {
    private let database: Database
    private let masterKeys: MasterKeys?
    private let hasher: PasswordHasher

    /// - Parameter masterKeys: needed for files that hold client secrets.
    public init(database: Database, masterKeys: MasterKeys?) {
        self.database = database
        self.masterKeys = masterKeys
        hasher = PasswordHasher(threads: 1)
    }

    /// One line of the report.
    public struct Change: Sendable, CustomStringConvertible {
        public let description: String
        /// False for "unchanged …".
        public let isChange: Bool
        fileprivate let write: (@Sendable (Transaction) async throws -> Void)?

        fileprivate init(_ description: String, write: @escaping @Sendable (Transaction) async throws -> Void) {
            self.description = description
            self.isChange = true
            self.write = write
        }

        fileprivate init(unchanged: String) {
            description = "unchanged \(unchanged)"
            isChange = false
            write = nil
        }
    }

    /// - Returns: what was changed and what was not, in the order of the file; with `isDryRun`, what would be.
    public func apply(_ file: ApplyFile, isDryRun: Bool) async throws -> [Change] {
        var changes = try await switchChanges(file.switches)
        for client in file.clients { changes += try await self.changes(of: client) }
        for account in file.accounts { changes += try await self.changes(of: account) }
        let writes = changes.compactMap(\.write)
        if !isDryRun, !writes.isEmpty {
            try await database.transaction { transaction in
                for write in writes { try await write(transaction) }
            }
        }
        return changes
    }

    private func switchChanges(_ wanted: [(feature: Switch, state: Switch.State)]) async throws -> [Change] {
        guard !wanted.isEmpty else { return [] }
        let current = try await SwitchStore(database: database).all()
        return wanted.map { feature, state in
            guard current[feature] != state else { return Change(unchanged: "switch \(feature.rawValue)") }
            return Change("set switch \(feature.rawValue) to \(state.rawValue)") { transaction in
                try await SwitchStore(database: transaction).set(feature, state)
            }
        }
    }

    private func changes(of client: ApplyFile.Client) async throws -> [Change] {
        let metadata = client.metadata
        let clientID = metadata.clientID
        let existing = try await ClientStore(database: database).find(clientID)
        let newHash = try client.secret.flatMap { secret -> [UInt8]? in
            guard let masterKeys else {
                throw SystemError("client secrets need SELEID_MASTER_KEY_FILE or SELEID_MASTER_KEY")
            }
            let fits = existing?.secrets.contains { masterKeys.verify(secret: secret, against: $0.hash) } ?? false
            return fits ? nil : masterKeys.hash(secret: secret)
        }
        guard let existing else {
            return [
                Change("created client \(clientID)") { transaction in
                    let store = ClientStore(database: transaction)
                    _ = try await store.put(metadata)
                    if let newHash { try await store.replaceSecrets(of: clientID, with: newHash) }
                }
            ]
        }
        var changes: [Change] = []
        if existing.metadata != metadata {
            let differences = differingMembers(existing.metadata.json, metadata.json)
            changes.append(
                Change("updated client \(clientID) (\(differences))") { transaction in
                    _ = try await ClientStore(database: transaction).put(metadata)
                })
        }
        if let newHash {
            changes.append(
                Change("set the secret of client \(clientID)") { transaction in
                    try await ClientStore(database: transaction).replaceSecrets(of: clientID, with: newHash)
                })
        }
        return changes.isEmpty ? [Change(unchanged: "client \(clientID)")] : changes
    }

    private func changes(of account: ApplyFile.Account) async throws -> [Change] {
        let username = account.username
        let claims = account.claims
        let existing = try await AccountStore(database: database).find(username: username)
        var newHash: String?
        if let password = account.password {
            let fits =
                existing?.passwordHash == nil
                ? false : try await hasher.verify(password, against: existing?.passwordHash)
            if !fits { newHash = try await hasher.hash(password) }
        }
        guard let existing else {
            let hash = newHash
            return [
                Change("created account \(username)") { transaction in
                    _ = try await AccountStore(database: transaction)
                        .put(username: username, passwordHash: hash, claims: claims)
                }
            ]
        }
        var changes: [Change] = []
        if canonical(existing.claims) != canonical(claims) {
            changes.append(
                Change("updated account \(username) (\(differingMembers(existing.claims, claims)))") { transaction in
                    _ = try await AccountStore(database: transaction)
                        .put(username: username, passwordHash: nil, claims: claims)
                })
        }
        if let newHash {
            changes.append(
                Change("set the password of account \(username)") { transaction in
                    _ = try await AccountStore(database: transaction).setPassword(newHash, username: username)
                })
        }
        return changes.isEmpty ? [Change(unchanged: "account \(username)")] : changes
    }
}

/// The names of the members in which two objects differ, separated by commas; never their values.
private func differingMembers(_ a: JSON, _ b: JSON) -> String {
    let names = Set((a.objectValue ?? []).map(\.name) + (b.objectValue ?? []).map(\.name))
    return names.filter { a[$0].map(canonical) != b[$0].map(canonical) }.sorted().joined(separator: ", ")
}
