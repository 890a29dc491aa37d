import JSON
import Postgres

/// The record of what happened. Append-only: the database refuses to change or delete an event.
///
/// The rule: an event is recorded before the answer goes out, so that nobody gets what is not on record. If it cannot be
/// written, the error is `unavailable` and the answer 503. A change and its event are one statement or one transaction
/// where that is simple; such statements write to `audit_events` themselves.
///
/// What names no client that we know is only logged: it costs nothing to invent. Refusals of known clients can be invented
/// too, but tell of attacks and of broken apps: `recordRefusal` bounds their number. Changes of state (sign-ins, consents,
/// revocations, reuse, keys, what admins do) are never left out.
public struct AuditStore: Sendable {
    /// The database, or a transaction in it: then the event stands if and only if the change does.
    public let database: any StatementRunner
    private let limiter: AuditLimiter?

    /// - Parameter limiter: the node's; nil for those who record no refusals.
    public init(database: any StatementRunner, limiter: AuditLimiter? = nil) {
        self.database = database
        self.limiter = limiter
    }

    /// How every statement begins that writes an event.
    static let insertion =
        "INSERT INTO audit_events (event, actor_kind, actor, client_id, subject, address, request_id, detail)"

    private static let recordStatement = Statement(
        "audit_record",
        """
        \(insertion)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)
        """)

    /// To be awaited before the answer goes out.
    public func record(_ event: AuditEvent) async throws(DatabaseError) {
        let actor = event.actor.columns
        _ = try await database.queryOnRecord(
            Self.recordStatement,
            [
                .text(event.kind.rawValue), .text(actor.kind), .optional(actor.name), .optional(event.clientID),
                .optional(event.subject), .optional(event.origin.address), .optional(event.origin.requestID),
                .json(.object(event.detail)),
            ])
    }

    /// The same for what changes nothing: only so many a minute are written of one kind about one client.
    public func recordRefusal(_ event: AuditEvent) async throws(DatabaseError) {
        guard limiter?.admits(event.kind, clientID: event.clientID) ?? true else { return }
        try await record(event)
    }

    /// Ends the limiter's minute: what it left out goes on record as one event of its kind and client, with the number in
    /// `detail.suppressed`.
    public func recordSuppressed() async throws(DatabaseError) {
        guard let limiter else { return }
        var rest = limiter.endMinute()[...]
        while let suppressed = rest.first {
            do {
                try await record(
                    AuditEvent(
                        suppressed.kind, by: .system, from: .none, clientID: suppressed.clientID,
                        detail: [.init("suppressed", .integer(suppressed.count))]))
            } catch {
                for suppressed in rest { limiter.putBack(suppressed) }
                throw error
            }
            rest.removeFirst()
        }
    }
}

extension StatementRunner {
    /// Runs a statement that also writes the record. When the database refuses it (no right to, no such table), nothing was
    /// done and nothing may be concluded: the error is `unavailable`.
    func queryOnRecord(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows {
        do {
            return try await query(statement, parameters)
        } catch .refused(_, _, let detail) {
            throw .unavailable(detail: "not recorded: \(detail)")
        } catch {
            throw error
        }
    }
}
