import Administration
import JSON
import Postgres
import Storage
import StorageSupport
import TestSupport

/// An event of the record, as an admin's change left it.
struct Recorded: Equatable {
    let event: String
    let subject: String?
    let clientID: String?
    /// With its members in alphabetical order.
    let detail: String
}

extension StorageFixture {
    /// Changes something as an admin does.
    @discardableResult
    func change<Value: Sendable>(
        isDryRun: Bool = false, _ body: (Changes) async throws -> Value
    ) async throws -> Value {
        let administrator = Administrator(
            actor: .adminToken("7 ops"), origin: .init(address: "192.0.2.1", requestID: "r1"))
        return try await ChangeRunner(database: database).run(by: administrator, isDryRun: isDryRun, body)
    }

    /// What admins' changes have left on record, the oldest first; each says who, and from where.
    func recorded() async throws -> [Recorded] {
        let rows = try await sql(
            """
            SELECT event, subject, client_id, detail::text, actor, address, request_id FROM audit_events
            WHERE actor_kind = 'admin_token' ORDER BY id
            """)
        return try rows.map { row in
            guard [4, 5, 6].map(row.string) == ["7 ops", "192.0.2.1", "r1"] else {
                throw TestFailure("the record does not say who did it, and from where")
            }
            let detail = canonical(try JSON(parsing: Array(row.string(3).utf8))).serialized()
            return Recorded(
                event: row.string(0), subject: row.optionalString(1), clientID: row.optionalString(2),
                detail: String(decoding: detail, as: UTF8.self))
        }
    }

    var alice: AccountName { .subject(session.subject) }

    func account(_ name: AccountName) async throws -> Account {
        guard let account = try await AccountStore(database: database).find(name) else {
            throw TestFailure("there is no such account")
        }
        return account
    }

    /// Runs `body`, which must fail. - Returns: why it did.
    func refusal<Value>(_ body: () async throws -> Value) async throws -> AdministrationError {
        do { _ = try await body() } catch let error as AdministrationError { return error }
        throw TestFailure("it was done")
    }
}

extension AdministrationError {
    var isConflict: Bool { if case .conflict = self { true } else { false } }
    var isNotFound: Bool { if case .notFound = self { true } else { false } }
    var hasChangedMeanwhile: Bool { if case .hasChanged = self { true } else { false } }
    /// The fields that break rules.
    var fields: [String] { if case .invalid(let problems) = self { problems.map(\.field) } else { [] } }
}

/// As admins compare what they have seen (`If-Match`).
func whileStill(_ seen: JSON) -> Precondition {
    { json in
        guard json.map({ canonical($0) }) == canonical(seen) else { throw AdministrationError.hasChanged }
    }
}
