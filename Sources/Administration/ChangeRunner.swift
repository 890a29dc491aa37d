import JSON
import Postgres
import Storage

/// Runs what admins change: each change, or several at once, in one transaction with its audit events, so that nothing is
/// changed without a record and nothing is recorded that did not happen.
public struct ChangeRunner: Sendable {
    private let database: Database

    public init(database: Database) { self.database = database }

    /// Of each statement: longer than where people wait, since a change may end a lot. Who signs in again and again must not
    /// be able to make so many grants that their account cannot be disabled any more.
    private static let limit = Duration.seconds(60)

    /// - Parameter isDryRun: do everything, say what came of it, and roll it back.
    @discardableResult
    public func run<Value: Sendable>(
        by administrator: Administrator, isDryRun: Bool = false, _ body: (Changes) async throws -> Value
    ) async throws -> Value {
        do {
            return try await database.transaction(limit: Self.limit) { transaction in
                let value = try await body(Changes(transaction: transaction, administrator: administrator))
                if isDryRun { throw RolledBack(value: value) }
                return value
            }
        } catch let dryRun as RolledBack<Value> {
            return dryRun.value
        }
    }

    private struct RolledBack<Value: Sendable>: Error { let value: Value }
}

/// What admins can change, inside one transaction. Each function makes one change and records it; one that finds everything
/// as it should be changes and records nothing.
///
/// Throws `AdministrationError`, `DatabaseError` or `StoredDataError`.
public struct Changes: Sendable {
    let transaction: Transaction
    let administrator: Administrator

    func record(
        _ kind: AuditEvent.Kind, clientID: String? = nil, subject: String? = nil, _ detail: [JSON.Member] = []
    ) async throws {
        try await AuditStore(database: transaction).record(
            AuditEvent(
                kind, by: administrator.actor, from: administrator.origin, clientID: clientID, subject: subject,
                detail: detail))
    }
}

/// Compares what an admin has seen with what is there (`If-Match`): throws `AdministrationError.hasChanged` if they differ.
/// nil: there is nothing yet.
public typealias Precondition = @Sendable (JSON?) throws -> Void

/// The members in which two objects differ, as `before` and `after` of an audit event.
func difference(_ before: JSON, _ after: JSON) -> [JSON.Member] {
    func differing(_ a: JSON, from b: JSON) -> [JSON.Member] {
        (a.objectValue ?? []).filter { member in b[member.name].map { hasSameText($0, member.value) } != true }
    }
    return [
        .init("before", .object(differing(before, from: after))),
        .init("after", .object(differing(after, from: before))),
    ]
}

/// With the members of all objects in alphabetical order: PostgreSQL's jsonb keeps none of its own.
public func canonical(_ json: JSON) -> JSON {
    switch json {
    case .object(let members):
        .object(members.map { .init($0.name, canonical($0.value)) }.sorted { $0.name < $1.name })
    case .array(let values): .array(values.map(canonical))
    default: json
    }
}
