import JSON
import OpenID
import Postgres
import Storage
import StorageSupport
import Testing

@testable import Administration

@Suite("Changes of clients") struct ClientChangeTests {
    /// Sets one member, as a merge patch does.
    private func change(_ fixture: StorageFixture, _ name: String, _ value: JSON) async throws -> ClientRecord {
        let patch = JSON.object([.init(name, value)])
        return try await fixture.change { changes in
            try await changes.changeClient("web1") { try ClientEntry(json: $0.merged(with: patch), of: "web1") }
        }
    }

    @Test("A name that looks the same and is written otherwise is another, and said to be")
    func sameLook() async throws {
        try await StorageFixture.run { fixture in
            for text in ["Caf\u{E9}", "Cafe\u{301}", "Cafe\u{301}"] {
                let client = try await change(fixture, "client_name", .string(text))
                #expect(client.metadata.clientName.utf8.elementsEqual(text.utf8))
            }
            let events = try await fixture.recorded().map(\.event)
            #expect(events == ["client.changed", "client.changed"])
        }
    }

    @Test("A change may take longer than what people wait for")
    func limit() async throws {
        try await StorageFixture.run { fixture in
            let limit = try await fixture.change { changes in
                try await changes.transaction.query(
                    Statement("test limit", "SELECT current_setting('statement_timeout')"), [])[0].string(0)
            }
            #expect(limit == "1min")
        }
    }

    @Test("A client that many people use is disabled at once; it is in the way of enabling it until all has ended")
    func manyGrants() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql(
                """
                INSERT INTO grants (client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr,
                    expires_at, idle_expires_at)
                SELECT client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr,
                    expires_at, idle_expires_at
                FROM grants, generate_series(1, 25000) WHERE id = \(grant.id)
                """)
            _ = try await change(fixture, "enabled", .bool(false))
            let refusal = try await fixture.refusal { try await change(fixture, "enabled", .bool(true)) }
            #expect(refusal.isConflict)
            let housekeeping = Housekeeping(database: fixture.database)
            while try await housekeeping.runOnce() {}
            _ = try await change(fixture, "enabled", .bool(true))
            let events = try await fixture.recorded().map(\.event)
            #expect(events == ["client.disabled", "client.enabled"])
            let live = try await fixture.sql("SELECT FROM grants WHERE ended_at IS NULL")
            #expect(live.isEmpty)
        }
    }
}
