import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Stored signing keys") struct SigningKeyTests {
    func key(_ id: String) -> StoredSigningKey {
        StoredSigningKey(keyID: id, algorithm: "RS256", sealedPrivateKey: [1], modulus: [2], exponent: [3])
    }

    @Test("The first key signs at once, and there is only one, however many nodes make one")
    func first() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { try await store.addFirst(key("k\(number)"), by: .system, from: .none) }
                }
                try await group.waitForAll()
            }
            let keys = try await store.all()
            #expect(keys.count == 1)
            #expect(keys[0].signsFrom == keys[0].publishedAt)
        }
    }

    @Test("B118: a new key is published before it signs; the old one retires then and stays for the overlap")
    func rotation() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            try await store.addFirst(key("old"), by: .system, from: .none)
            #expect(try await store.rotate(to: key("new"), lead: 900, overlap: 3_900, by: .system, from: .none) == nil)
            let keys = try await store.all()
            #expect(keys.map(\.keyID) == ["old", "new"])
            #expect(keys[1].signsFrom - keys[1].publishedAt == 900)
            #expect(keys[0].retiredAt == keys[1].signsFrom)
            #expect(keys[0].goneAt == keys[1].signsFrom + 3_900)
            #expect(
                try await store.rotate(to: key("third"), lead: 900, overlap: 3_900, by: .system, from: .none) == "new")
            #expect(try await store.all().count == 2)
        }
    }

    @Test("Revoking the signing key makes the waiting one sign, or else the spare")
    func revocation() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            try await store.addFirst(key("old"), by: .system, from: .none)
            _ = try await store.rotate(to: key("new"), lead: 900, overlap: 3_900, by: .system, from: .none)
            #expect(try await store.revoke("old", spare: key("spare"), by: .command("root"), from: .none))
            var keys = try await store.all()
            #expect(Set(keys.map(\.keyID)) == ["old", "new"])
            #expect(keys.first { $0.keyID == "new" }.map { $0.signsFrom - $0.publishedAt < 900 } == true)
            #expect(try await store.revoke("new", spare: key("spare"), by: .command("root"), from: .none))
            keys = try await store.all()
            #expect(keys.contains { $0.keyID == "spare" && $0.revokedAt == nil })
            #expect(try await !store.revoke("new", spare: key("spare2"), by: .command("root"), from: .none))
            #expect(try await !store.revoke("nobody", spare: key("spare2"), by: .command("root"), from: .none))
        }
    }

    @Test("Each change is on record with who made it; what changes nothing is not")
    func record() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            let origin = AuditEvent.Origin(address: "192.0.2.7", requestID: "r1")
            try await store.addFirst(key("first"), by: .system, from: .none)
            try await store.addFirst(key("unneeded"), by: .system, from: .none)
            _ = try await store.rotate(to: key("new"), lead: 900, overlap: 1, by: .adminToken("ci"), from: origin)
            _ = try await store.rotate(to: key("unneeded"), lead: 900, overlap: 1, by: .adminToken("ci"), from: origin)
            for leaked in ["first", "new", "new"] {
                _ = try await store.revoke(leaked, spare: key("spare"), by: .command("root"), from: .none)
            }
            let rows = try await fixture.sql(
                """
                SELECT concat_ws(' ', event, detail ->> 'kid', detail ->> 'signs_in', detail ->> 'signs_now', actor_kind, actor,
                    address, request_id)
                FROM audit_events WHERE event LIKE 'key.%' ORDER BY id
                """)
            #expect(
                rows.map { $0.string(0) } == [
                    "key.created first system", "key.rotated new 900 admin_token ci 192.0.2.7 r1",
                    "key.revoked first new command root", "key.revoked new command root",
                    "key.created spare command root",
                ])
        }
    }

    @Test("A change that cannot be recorded is not made, and nobody is told that it was refused")
    func unrecorded() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            _ = try await fixture.sql("ALTER TABLE audit_events RENAME TO elsewhere")
            let error = await #expect(throws: DatabaseError.self) {
                try await store.addFirst(key("first"), by: .system, from: .none)
            }
            guard case .unavailable = error else { throw TestFailure("not unavailable") }
            #expect(try await store.all().isEmpty)
        }
    }
}
