import Postgres
import Storage
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
                for number in 0..<8 { group.addTask { try await store.addFirst(key("k\(number)")) } }
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
            try await store.addFirst(key("old"))
            #expect(try await store.rotate(to: key("new"), lead: 900, overlap: 3_900) == nil)
            let keys = try await store.all()
            #expect(keys.map(\.keyID) == ["old", "new"])
            #expect(keys[1].signsFrom - keys[1].publishedAt == 900)
            #expect(keys[0].retiredAt == keys[1].signsFrom)
            #expect(keys[0].goneAt == keys[1].signsFrom + 3_900)
            #expect(try await store.rotate(to: key("third"), lead: 900, overlap: 3_900) == "new")
            #expect(try await store.all().count == 2)
        }
    }

    @Test("Revoking the signing key makes the waiting one sign, or else the spare")
    func revocation() async throws {
        try await StorageFixture.run { fixture in
            let store = SigningKeyStore(database: fixture.database)
            try await store.addFirst(key("old"))
            _ = try await store.rotate(to: key("new"), lead: 900, overlap: 3_900)
            #expect(try await store.revoke("old", spare: key("spare")))
            var keys = try await store.all()
            #expect(Set(keys.map(\.keyID)) == ["old", "new"])
            #expect(keys.first { $0.keyID == "new" }.map { $0.signsFrom - $0.publishedAt < 900 } == true)
            #expect(try await store.revoke("new", spare: key("spare")))
            keys = try await store.all()
            #expect(keys.contains { $0.keyID == "spare" && $0.revokedAt == nil })
            #expect(try await !store.revoke("new", spare: key("spare2")))
            #expect(try await !store.revoke("nobody", spare: key("spare2")))
        }
    }
}
