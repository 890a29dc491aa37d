import Argon2
import Issuance
import OpenID
import Postgres
import Storage

/// Makes the database say what an `ApplyFile` says, in one transaction, so that a failure leaves nothing half done. What the
/// file does not name stays as it is, unless it is pruned. Applying the same file again writes nothing.
public struct Applier: Sendable {
    private let database: Database
    private let masterKeys: MasterKeys?
    private let administrator: Administrator
    let hasher = PasswordHasher(threads: 1)

    /// - Parameter masterKeys: needed for files that hold client secrets.
    public init(database: Database, masterKeys: MasterKeys?, by administrator: Administrator) {
        self.database = database
        self.masterKeys = masterKeys
        self.administrator = administrator
    }

    /// One line of the report.
    public struct Line: Sendable, CustomStringConvertible {
        public let description: String
        /// False for "unchanged …".
        public let isChange: Bool

        static func change(_ text: String) -> Line { Line(description: text, isChange: true) }
        static func unchanged(_ name: String) -> Line { Line(description: "unchanged \(name)", isChange: false) }
    }

    /// - Parameters:
    ///   - prunes: whether of each section that the file has, what it does not name goes too: switches back to their
    ///     default, clients are deleted, accounts are closed.
    ///   - isDryRun: do everything, say what came of it, and roll it back.
    /// - Returns: what was changed and what was not, in the order of the file; what is pruned at the end of its section.
    public func apply(_ file: ApplyFile, prunes: Bool = false, isDryRun: Bool = false) async throws -> [Line] {
        if prunes { try refuseToPruneAll(file) }
        if masterKeys == nil, file.clients?.contains(where: { $0.secret != nil }) == true {
            throw AdministrationError.invalid(
                "client_secret", "needs the master key (SELEID_MASTER_KEY_FILE or SELEID_MASTER_KEY)")
        }
        // Before the transaction, which must not stand open while passwords are hashed.
        let hashes = try await newPasswordHashes(file.accounts ?? [], in: AccountStore(database: database))
        return try await ChangeRunner(database: database).run(by: administrator, isDryRun: isDryRun) { changes in
            var lines: [Line] = []
            if let switches = file.switches { lines += try await changes.apply(switches, prunes: prunes) }
            if let clients = file.clients { lines += try await changes.apply(clients, masterKeys, prunes: prunes) }
            if let accounts = file.accounts { lines += try await changes.apply(accounts, hashes, prunes: prunes) }
            return lines
        }
    }

    /// A list without entries is far more often one that could not be made than one that was meant.
    private func refuseToPruneAll(_ file: ApplyFile) throws(AdministrationError) {
        let sections = [
            ("switches", file.switches?.isEmpty), ("clients", file.clients?.isEmpty),
            ("accounts", file.accounts?.isEmpty),
        ]
        for (name, isEmpty) in sections where isEmpty == true {
            throw .invalid(name, "is empty, and all \(name) would be pruned; leave it out if they are to stay")
        }
    }
}

extension Changes {
    fileprivate func apply(
        _ wanted: [(feature: Switch, state: Switch.State)], prunes: Bool
    ) async throws -> [Applier.Line] {
        var lines: [Applier.Line] = []
        for (feature, state) in wanted {
            let isChange = try await setSwitch(feature, to: state)
            lines.append(
                isChange
                    ? .change("set switch \(feature.rawValue) to \(state.rawValue)")
                    : .unchanged("switch \(feature.rawValue)"))
        }
        for feature in Switch.allCases where prunes && !wanted.contains(where: { $0.feature == feature }) {
            guard try await setSwitch(feature, to: feature.defaultState) else { continue }
            lines.append(
                .change(
                    "set switch \(feature.rawValue) to \(feature.defaultState.rawValue), which the file does not name"))
        }
        return lines
    }

    // MARK: Clients

    fileprivate func apply(
        _ wanted: [ApplyFile.Client], _ masterKeys: MasterKeys?, prunes: Bool
    ) async throws -> [Applier.Line] {
        var lines: [Applier.Line] = []
        for client in wanted { lines += try await apply(client, masterKeys) }
        guard prunes else { return lines }
        let named = Set(wanted.map(\.metadata.clientID))
        for clientID in try await ClientStore(database: transaction).list().map(\.metadata.clientID)
        where !named.contains(clientID) {
            try await deleteClient(clientID)
            lines.append(.change("deleted client \(clientID), which the file does not name"))
        }
        return lines
    }

    private func apply(_ client: ApplyFile.Client, _ masterKeys: MasterKeys?) async throws -> [Applier.Line] {
        let clientID = client.metadata.clientID
        let before = try await ClientStore(database: transaction).findAndLock(clientID)
        let entry = ClientEntry(
            metadata: client.metadata, isEnabled: client.isEnabled ?? before?.isEnabled ?? true)
        var lines = ClientEntry.report(from: before?.entry, to: entry)
        if !lines.isEmpty { _ = try await putClient(entry) }
        if let masterKeys, let secret = client.secret {
            // One that ends by itself is not what the file asks for.
            let fits = before?.secrets.contains {
                $0.expiresAt == nil && masterKeys.verify(secret: secret, against: $0.hash)
            }
            if fits != true {
                try await replaceSecrets(of: clientID, with: masterKeys.hash(secret: secret))
                if before != nil { lines.append("set the secret of client \(clientID)") }
            }
        }
        return lines.isEmpty ? [.unchanged("client \(clientID)")] : lines.map(Applier.Line.change)
    }
}
