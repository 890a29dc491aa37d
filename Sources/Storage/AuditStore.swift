import JSON
import Postgres

/// The record of what happened. Append-only: the database refuses to change or delete an event.
public struct AuditStore: Sendable {
    /// The database, or a transaction in it: then the event stands if and only if the change does.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let recordStatement = Statement(
        "audit_record",
        """
        INSERT INTO audit_events (event, actor_kind, actor, client_id, subject, address, request_id, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)
        """)

    /// To be awaited before the answer goes out, so that nobody gets what is not on record.
    public func record(_ event: AuditEvent) async throws(DatabaseError) {
        let actor = event.actor.columns
        _ = try await database.query(
            Self.recordStatement,
            [
                .text(event.kind.rawValue), .text(actor.kind), .optional(actor.name), .optional(event.clientID),
                .optional(event.subject), .optional(event.origin.address), .optional(event.origin.requestID),
                .text(String(decoding: JSON.object(event.detail).serialized(), as: UTF8.self)),
            ])
    }
}
