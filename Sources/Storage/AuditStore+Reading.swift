import JSON
import Postgres

extension AuditStore {
    /// A page of events, the newest first.
    /// - Parameters:
    ///   - cursor: the id of the last event of the page before; nil: from the newest.
    ///   - limit: events at most.
    /// - Throws: `DatabaseError`, or `StoredDataError` when an event cannot be read.
    public func list(_ filter: AuditFilter, before cursor: Int64? = nil, limit: Int64) async throws -> [RecordedEvent] {
        try await page(filter, cursor.map { ("id < $", .int($0)) }, order: "DESC", limit: limit)
    }

    /// A page of events, the oldest first: for all of them, page by page.
    ///
    /// Ids are given before events are committed. Whoever follows the record while it grows therefore sets `filter.until` a
    /// minute back: what is younger may yet get a neighbour with a lower id.
    /// - Parameter cursor: the id of the last event of the page before; nil: from the oldest.
    public func export(
        _ filter: AuditFilter, after cursor: Int64? = nil, limit: Int64
    ) async throws -> [RecordedEvent] {
        try await page(filter, cursor.map { ("id > $", .int($0)) }, order: "ASC", limit: limit)
    }

    /// One statement for each set of conditions that occurs, so that the planner knows what it can look for.
    private func page(
        _ filter: AuditFilter, _ cursor: (String, Parameter)?, order: String, limit: Int64
    ) async throws -> [RecordedEvent] {
        let given = filter.conditions + (cursor.map { [$0] } ?? [])
        let conditions = given.enumerated().map { $0.element.0.replacing("$", with: "$\($0.offset + 2)") }
        let condition = conditions.isEmpty ? "true" : conditions.joined(separator: " AND ")
        let statement = Statement(
            "audit_page \(order) \(condition)",
            """
            SELECT id, to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), event, actor_kind, actor,
                client_id, subject, address, request_id, detail
            FROM audit_events WHERE \(condition) ORDER BY id \(order) LIMIT $1
            """)
        return try await database.query(statement, [.int(limit)] + given.map(\.1)).map(Self.event)
    }

    private static func event(_ row: Row) throws -> RecordedEvent {
        do {
            return RecordedEvent(
                id: row.int(0), time: row.string(1), kind: row.string(2), actorKind: row.string(3),
                actor: row.optionalString(4), clientID: row.optionalString(5), subject: row.optionalString(6),
                address: row.optionalString(7), requestID: row.optionalString(8),
                detail: try row.json(9))
        } catch {
            throw StoredDataError(description: "the detail of audit event \(row.int(0)) cannot be read: \(error)")
        }
    }
}

extension AuditFilter {
    /// Each with `$` for its parameter.
    fileprivate var conditions: [(String, Parameter)] {
        var conditions: [(String, Parameter)] = []
        if let kinds { conditions.append(("event = ANY ($)", .texts(kinds))) }
        let texts = [
            ("actor_kind", actorKind), ("actor", actor), ("client_id", clientID), ("subject", subject),
            ("request_id", requestID),
        ]
        for (column, value) in texts {
            if let value { conditions.append(("\(column) = $", .text(value))) }
        }
        if let since { conditions.append(("occurred_at >= to_timestamp($)", .int(since.asTimestamp))) }
        if let until { conditions.append(("occurred_at < to_timestamp($)", .int(until.asTimestamp))) }
        return conditions
    }
}

extension Int64 {
    /// Within what the database has as a time: from 1970 to the end of 9999.
    fileprivate var asTimestamp: Int64 { Swift.min(Swift.max(self, 0), 253_402_300_799) }
}
