import JSON
import OpenID
import Storage
import StorageSupport
import Testing

@testable import Administration

@Suite("Changes of client secrets") struct ClientSecretChangeTests {
    private func hashes(_ fixture: StorageFixture) async throws -> [[UInt8]]? {
        try await ClientStore(database: fixture.database).find("web1")?.secrets.map(\.hash)
    }

    @Test("B073: two secrets live at once; a third ends the oldest, and all of it is on record without a hash")
    func limit() async throws {
        try await StorageFixture.run { fixture in
            var ids: [Int64] = []
            for hash in [[171], [172], [173]] as [[UInt8]] {
                ids.append(try await fixture.change { try await $0.addSecret(hash, to: "web1") }.id)
            }
            #expect(try await hashes(fixture) == [[172], [173]])
            let recorded = try await fixture.recorded()
            #expect(
                recorded.map(\.event) == [
                    "client_secret.added", "client_secret.added", "client_secret.deleted", "client_secret.added",
                ])
            #expect(recorded.allSatisfy { $0.clientID == "web1" && !$0.detail.contains("hash") })
            for (event, id) in zip(recorded, [ids[0], ids[1], ids[0], ids[2]]) {
                #expect(event.detail.contains("\"id\":\(id)"))
            }
        }
    }

    @Test("What has expired goes before what is live, though it came later")
    func expired() async throws {
        try await StorageFixture.run { fixture in
            try await fixture.change { changes in
                _ = try await changes.addSecret([1], to: "web1")
                _ = try await changes.addSecret([2], to: "web1", expiresAt: 1_000)
                _ = try await changes.addSecret([3], to: "web1")
            }
            #expect(try await hashes(fixture) == [[1], [3]])
        }
    }

    @Test("All may be replaced by one, and the last may be deleted, once")
    func replaced() async throws {
        try await StorageFixture.run { fixture in
            try await fixture.change { changes in
                for hash in [[1], [2]] as [[UInt8]] { _ = try await changes.addSecret(hash, to: "web1") }
                try await changes.replaceSecrets(of: "web1", with: [9])
            }
            #expect(try await hashes(fixture) == [[9]])
            let id = try #require(try await ClientStore(database: fixture.database).secrets(of: "web1").first?.id)
            try await fixture.change { try await $0.deleteSecret(id, of: "web1") }
            #expect(try await hashes(fixture) == [])
            let again = try await fixture.refusal {
                try await fixture.change { try await $0.deleteSecret(id, of: "web1") }
            }
            #expect(again.isNotFound)
        }
    }

    @Test("A public client has none, and an unknown one neither; nothing is on record then")
    func refused() async throws {
        try await StorageFixture.run { fixture in
            var client = try StorageFixture.client("page")
            client.tokenEndpointAuthMethod = .none
            _ = try await ClientStore(database: fixture.database).put(client)
            let open = try await fixture.refusal {
                try await fixture.change { _ = try await $0.addSecret([1], to: "page") }
            }
            #expect(open.isConflict)
            let unknown = try await fixture.refusal {
                try await fixture.change { _ = try await $0.addSecret([1], to: "nobody") }
            }
            #expect(unknown.isNotFound)
            try await fixture.change(isDryRun: true) { _ = try await $0.addSecret([1], to: "web1") }
            #expect(try await hashes(fixture) == [])
            #expect(try await fixture.recorded() == [])
        }
    }
}
