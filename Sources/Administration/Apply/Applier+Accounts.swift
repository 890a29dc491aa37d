import JSON
import Storage

extension Applier {
    /// The hashes to set, by username as the file has it: of passwords that are not the account's already.
    func newPasswordHashes(
        _ accounts: [ApplyFile.Account], in store: AccountStore
    ) async throws -> [String: String] {
        var hashes: [String: String] = [:]
        for account in accounts {
            guard let password = account.password else { continue }
            let former = try await store.find(username: account.username)?.passwordHash
            if let former, try await hasher.verify(password, against: former) { continue }
            hashes[account.username] = try await hasher.hash(password)
        }
        return hashes
    }
}

extension Changes {
    private var accounts: AccountStore { AccountStore(database: transaction) }

    func apply(
        _ wanted: [ApplyFile.Account], _ hashes: [String: String], prunes: Bool
    ) async throws -> [Applier.Line] {
        var lines: [Applier.Line] = []
        var usernames: [Int64: String] = [:]
        for account in wanted {
            let (id, done) = try await apply(account, hashes[account.username])
            lines += done
            // Only the database knows which spellings name one person.
            if let id, let other = usernames.updateValue(account.username, forKey: id) {
                throw AdministrationError.invalid("accounts", "\(other) and \(account.username) are the same account")
            }
        }
        guard prunes else { return lines }
        for account in try await accounts.list() where usernames[account.id] == nil && account.status != .closed {
            _ = try await setStatus(.closed, of: .subject(account.subject))
            lines.append(.change("closed account \(account.username), which the file does not name"))
        }
        return lines
    }

    /// - Returns: the account's id, if there is one now.
    private func apply(
        _ account: ApplyFile.Account, _ hash: String?
    ) async throws -> (id: Int64?, lines: [Applier.Line]) {
        let name = "account \(account.username)"
        guard let before = try await accounts.findAndLock(.username(account.username)) else {
            if account.status == .closed { return (nil, [.unchanged("\(name), which is not there to be closed")]) }
            let entry = AccountEntry(
                username: account.username, claims: account.claims, status: account.status ?? .active)
            let made = try await createAccount(entry, passwordHash: hash)
            return (made.id, AccountEntry.report(from: nil, to: entry).map(Applier.Line.change))
        }
        let entry = AccountEntry(
            username: account.username, claims: account.claims, status: account.status ?? before.status)
        if before.status == .closed, entry.status != .closed || hash != nil {
            throw AdministrationError.conflict(
                "\(name) is closed, which is final; another account cannot have its username until it is given another")
        }
        _ = try await changeAccount(.subject(before.subject)) { _ in entry }
        var lines = AccountEntry.report(from: before.entry, to: entry)
        if let hash {
            try await setPassword(hash, of: .subject(before.subject))
            lines.append("set the password of \(name)")
        }
        return (before.id, lines.isEmpty ? [.unchanged(name)] : lines.map(Applier.Line.change))
    }
}
