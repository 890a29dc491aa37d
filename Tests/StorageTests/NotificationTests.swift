import EventLoop
import Postgres
import Storage
import StorageSupport
import Synchronization
import TestSupport
import Testing

@Suite("What the database tells all nodes") struct NotificationTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let sql: String
        let told: [String]
        var testDescription: String { sql }
        init(_ sql: String, _ told: String...) {
            self.sql = sql
            self.told = told
        }
    }

    static let changes = [
        Change("INSERT INTO clients (client_id, metadata) VALUES ('new', '{}')", "client:new"),
        Change("UPDATE clients SET metadata = metadata WHERE client_id = 'web1'", "client:web1"),
        Change("UPDATE clients SET enabled = false WHERE client_id = 'web1'", "client:web1"),
        Change("UPDATE clients SET client_id = 'renamed' WHERE client_id = 'alone'", "client:alone", "client:renamed"),
        Change("DELETE FROM clients WHERE client_id = 'alone'", "client:alone"),
        Change("UPDATE clients SET enabled = enabled", "client:alone", "client:web1"),
        Change("INSERT INTO client_secrets (client_id, hash) VALUES ('alone', 'x')", "client:alone"),
        Change("UPDATE client_secrets SET hash = 'y' WHERE client_id = 'web1'", "client:web1"),
        Change("UPDATE client_secrets SET expires_at = now() WHERE client_id = 'web1'", "client:web1"),
        Change("DELETE FROM client_secrets WHERE client_id = 'web1'", "client:web1"),
        // That a secret was used is no news.
        Change("UPDATE client_secrets SET last_used_at = now() WHERE client_id = 'web1'"),
        Change("INSERT INTO switches (name, state) VALUES ('userinfo', 'on')", "switches"),
        Change("UPDATE switches SET state = 'per_client' WHERE name = 'revocation'", "switches"),
        Change("DELETE FROM switches WHERE name = 'revocation'", "switches"),
        Change("UPDATE browser_sessions SET ended_at = now()"),
    ]

    @Test("every change of what nodes cache, and nothing else", arguments: changes)
    func told(change: Change) async throws {
        try await StorageFixture.run { fixture in
            _ = try await ClientStore(database: fixture.database).put(try StorageFixture.client("alone"))
            _ = try await fixture.sql("INSERT INTO client_secrets (client_id, hash) VALUES ('web1', 'x')")
            _ = try await fixture.sql("INSERT INTO switches (name, state) VALUES ('revocation', 'on')")
            let heard = Mutex<[String]>([])
            let isListening = Mutex(false)
            let listener = Listener(
                loop: fixture.loop, configuration: DatabaseConfiguration(connectionString: fixture.connectionString),
                channels: ["seleid"]
            ) { event in
                if case .notification(_, let payload) = event { heard.withLock { $0.append(payload) } }
                if event == .connected { isListening.withLock { $0 = true } }
            }
            listener.start()
            #expect(await eventually { isListening.withLock { $0 } })
            _ = try await fixture.sql(change.sql)
            _ = try await fixture.sql("SELECT pg_notify('seleid', 'end')")
            #expect(await eventually { heard.withLock { $0.contains("end") } })
            #expect(Set(heard.withLock { $0 }.dropLast()) == Set(change.told))
            listener.stop()
        }
    }
}
