import JSON
import Storage

// What people have at apps, ended for them. What is over already stays as it ended, and is no event.
extension Changes {
    private var sessions: SessionStore { SessionStore(database: transaction) }
    private var grants: GrantStore { GrantStore(database: transaction) }
    private var consents: ConsentStore { ConsentStore(database: transaction) }

    /// Ends all browser sessions and grants of a person.
    /// - Returns: how many of each.
    public func endSessions(
        of name: AccountName, if precondition: Precondition = { _ in }
    ) async throws -> (sessions: Int64, grants: Int64) {
        let account = try await lock(name)
        try precondition(account.json)
        let ended = try await AccountStore(database: transaction).endSessions(account.id, .endedByAdmin)
        if ended.sessions + ended.grants > 0 {
            try await record(
                .sessionsEnded, subject: account.subject,
                [.init("sessions", .integer(ended.sessions)), .init("grants", .integer(ended.grants))])
        }
        return ended
    }

    /// Ends one browser session, and the grants made from it.
    /// - Returns: false when it was over already.
    @discardableResult
    public func endSession(_ sid: String, if precondition: Precondition = { _ in }) async throws -> Bool {
        guard let session = try await sessions.record(sid: sid) else {
            throw AdministrationError.notFound("there is no session \(sid)")
        }
        try precondition(session.json)
        guard try await sessions.end(session.id, .endedByAdmin) else { return false }
        try await record(.sessionEnded, subject: session.subject, [.init("before", session.json)])
        return true
    }

    /// Ends one grant: what a person has at an app by one sign-in.
    /// - Returns: false when it was over already.
    @discardableResult
    public func endGrant(_ id: Int64, if precondition: Precondition = { _ in }) async throws -> Bool {
        guard let grant = try await grants.record(id) else {
            throw AdministrationError.notFound("there is no grant \(id)")
        }
        try precondition(grant.json)
        guard try await grants.end(id, .endedByAdmin) else { return false }
        try await record(.grantEnded, clientID: grant.clientID, subject: grant.subject, [.init("before", grant.json)])
        return true
    }

    /// Forgets what a person has granted to a client, and ends what came of it.
    /// - Throws: `notFound` when there was nothing.
    public func withdrawConsent(
        of name: AccountName, for clientID: String, if precondition: Precondition = { _ in }
    ) async throws {
        // Not locked here: whoever locks several rows begins with codes, and withdrawing does.
        guard let account = try await self.account(name) else { throw AdministrationError.noSuchAccount(name) }
        let consent = try await consents.record(accountID: account.id, clientID: clientID)
        try precondition(consent?.json)
        guard try await consents.withdraw(accountID: account.id, clientID: clientID) else {
            throw AdministrationError.notFound("\(account.username) has granted nothing to a client \(clientID)")
        }
        try await record(
            .consentWithdrawn, clientID: clientID, subject: account.subject, [.init("before", consent?.json ?? .null)])
    }
}
