import Postgres
import Storage
import StorageSupport
import Testing

/// One way in which what came of a sign-in ends.
struct Ending: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: EndReason
    var endsSession = true
    let run: @Sendable (StorageFixture, any StatementRunner) async throws -> Void

    static let all = [
        Ending(testDescription: "the session is ended", reason: .signedOut) {
            _ = try await SessionStore(database: $1).end($0.session.id, .signedOut)
        },
        Ending(testDescription: "all sessions of the account are ended", reason: .endedByAdmin) {
            _ = try await AccountStore(database: $1).endSessions($0.session.accountID, .endedByAdmin)
        },
        Ending(testDescription: "the password is changed", reason: .passwordChanged) {
            _ = try await AccountStore(database: $1).setPassword("new", username: $0.session.username)
        },
        Ending(testDescription: "the account is disabled", reason: .accountDisabled) {
            _ = try await $1.query(Statement("test disable", "UPDATE accounts SET status = 'disabled'"), [])
        },
        Ending(testDescription: "the account is closed", reason: .accountClosed) {
            _ = try await $1.query(Statement("test close", "UPDATE accounts SET status = 'closed'"), [])
        },
        Ending(testDescription: "the consent is withdrawn", reason: .consentWithdrawn, endsSession: false) {
            _ = try await ConsentStore(database: $1).withdraw(accountID: $0.session.accountID, clientID: "web1")
        },
        Ending(testDescription: "the client is disabled", reason: .clientDisabled, endsSession: false) {
            _ = try await ClientStore(database: $1).setEnabled(false, "web1")
        },
    ]
}
