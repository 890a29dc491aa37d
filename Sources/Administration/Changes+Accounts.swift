import JSON
import OpenID
import Postgres
import Storage

extension Changes {
    private var accounts: AccountStore { AccountStore(database: transaction) }

    /// The account as it stands inside the transaction.
    public func account(_ name: AccountName) async throws -> Account? { try await accounts.find(name) }

    /// - Parameter passwordHash: made outside the transaction, since that takes its time; nil: nobody can sign in yet.
    /// - Throws: `conflict` when the username is taken, be it by a closed account.
    public func createAccount(_ entry: AccountEntry, passwordHash: String?) async throws -> Account {
        try await check(entry, besides: nil)
        guard
            let account = try await accounts.create(
                username: entry.username, passwordHash: passwordHash, claims: entry.claims, status: entry.status)
        else { throw taken(entry.username) }
        try await record(
            .accountCreated, subject: account.subject,
            [
                .init(
                    "after",
                    .object([
                        .init("username", .string(account.username)), .init("claims", account.claims),
                        .init("status", .string(account.status.rawValue)),
                        .init("has_password", .bool(account.passwordHash != nil)),
                    ]))
            ])
        return account
    }

    /// Changes the username, the claims or the status of an account. One that is not active any more loses its sessions and
    /// grants; a closed one its password too, and it stays closed. Its username stays taken until it is given another.
    /// - Throws: `conflict` when the username is taken, or the account is closed and would be another.
    public func changeAccount(
        _ name: AccountName, if precondition: Precondition = { _ in }, _ change: (Account) throws -> AccountEntry
    ) async throws -> Account {
        let before = try await lock(name)
        try precondition(before.json)
        let entry = try change(before)
        try await check(entry, besides: before.entry)
        if before.status == .closed, entry.status != .closed { throw closed(before) }
        guard entry.status != before.status || !hasSameText(entry.data, before.entry.data) else { return before }
        let changed: Account?
        do {
            changed = try await accounts.change(
                before.id, username: entry.username, claims: entry.claims, status: entry.status)
        } catch is AccountStore.UsernameTaken {
            throw taken(entry.username)
        }
        guard let changed else { throw closed(before) }
        try await recordChange(from: before, to: changed)
        return changed
    }

    /// Disables, enables or closes an account.
    public func setStatus(_ status: AccountStatus, of name: AccountName) async throws -> Account {
        try await changeAccount(name) { account in
            var entry = account.entry
            entry.status = status
            return entry
        }
    }

    /// Sets the password. The person's sessions and grants end.
    /// - Throws: `conflict` when the account is closed.
    public func setPassword(
        _ hash: String, of name: AccountName, if precondition: Precondition = { _ in }
    ) async throws {
        let account = try await lock(name)
        try precondition(account.json)
        if account.status == .closed { throw closed(account) }
        _ = try await accounts.setPassword(hash, username: account.username)
        try await record(.passwordSet, subject: account.subject)
    }

    // MARK: Checks

    /// The account; nobody else changes it until the transaction is over.
    public func lock(_ name: AccountName) async throws -> Account {
        guard let account = try await accounts.findAndLock(name) else { throw AdministrationError.noSuchAccount(name) }
        return account
    }

    private func check(_ entry: AccountEntry, besides before: AccountEntry?) async throws {
        let problems = entry.problems(besides: before)
        guard problems.isEmpty else { throw AdministrationError.invalid(problems) }
        // Some characters stand for many: what is compared must fit into an index.
        if try await accounts.canonical(entry.username).utf8.count > 1024 {
            throw AdministrationError.invalid("username", "is too long in its compatibility form (NFKC)")
        }
    }

    private func taken(_ username: String) -> AdministrationError {
        .conflict("there is an account \(username) already, be it in another spelling or closed")
    }

    private func closed(_ account: Account) -> AdministrationError {
        .conflict("the account \(account.subject) is closed, which is final")
    }

    // MARK: Record

    private func recordChange(from before: Account, to after: Account) async throws {
        let data = (before.entry.data, after.entry.data)
        if !hasSameText(data.0, data.1) {
            try await record(.accountChanged, subject: after.subject, difference(data.0, data.1))
        }
        if before.status != after.status {
            try await record(
                after.status.event, subject: after.subject,
                [
                    .init("before", .object([.init("status", .string(before.status.rawValue))])),
                    .init("after", .object([.init("status", .string(after.status.rawValue))])),
                ])
        }
    }
}

extension AccountStatus {
    fileprivate var event: AuditEvent.Kind {
        switch self {
        case .active: .accountEnabled
        case .disabled: .accountDisabled
        case .closed: .accountClosed
        }
    }
}
