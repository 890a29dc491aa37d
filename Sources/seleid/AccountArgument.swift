import Administration
import Storage

// Accounts are named by username or `sub`. A `sub` goes first: it is nobody else's, whatever usernames there are.

extension CommandContext {
    /// - Throws: `AdministrationError.notFound`.
    func account(_ text: String) async throws -> Account {
        let store = AccountStore(database: database)
        return try await findAccount(text) { try await store.find($0) }
    }
}

extension Changes {
    /// - Throws: `AdministrationError.notFound`.
    func accountName(_ text: String) async throws -> AccountName {
        .subject(try await findAccount(text, account).subject)
    }
}

private func findAccount(
    _ text: String, _ find: (AccountName) async throws -> Account?
) async throws -> Account {
    for name in [AccountName.subject(text), .username(text)] {
        if let account = try await find(name) { return account }
    }
    throw AdministrationError.noSuchAccount(.username(text))
}
