import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Ending grants while they are made and used") struct EndingRaceTests {
    @Test("The end comes while a code is being redeemed: it waits for the grant, and takes it", arguments: Ending.all)
    func redemptionFirst(ending: Ending) async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            let (redemption, _) = try await fixture.overlap(
                { try await fixture.redeem(in: $0) }, { try await ending.run(fixture, fixture.database) })
            guard case .fresh(let grant) = redemption else { throw TestFailure("not redeemed") }
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(ending.reason))
        }
    }

    @Test("A code is redeemed while the end is under way: it waits, and gets nothing", arguments: Ending.all)
    func endFirst(ending: Ending) async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            let (_, redemption) = try await fixture.overlap(
                { try await ending.run(fixture, $0) }, { try await fixture.redeem() })
            guard case .refused = redemption else { throw TestFailure("redeemed") }
            #expect(try await fixture.liveGrants() == 0)
        }
    }

    @Test("The same for a code that is saved only when the end is under way", arguments: Ending.all)
    func savedLate(ending: Ending) async throws {
        try await StorageFixture.run { fixture in
            let (_, redemption) = try await fixture.overlap(
                {
                    try await ending.run(fixture, $0)
                    #expect(try await fixture.saveCode())
                }, { try await fixture.redeem() })
            guard case .refused = redemption else { throw TestFailure("redeemed") }
            #expect(try await fixture.liveGrants() == 0)
        }
    }

    @Test("Thirty codes redeemed side by side, and the end among them: nothing lives on", arguments: Ending.all)
    func crowd(ending: Ending) async throws {
        try await StorageFixture.run { fixture in
            for code in 0..<30 { _ = try await fixture.saveCode([UInt8(code)]) }
            let fresh = try await withThrowingTaskGroup(of: Int.self) { group in
                for code in 0..<30 {
                    group.addTask { if case .fresh = try await fixture.redeem([UInt8(code)]) { 1 } else { 0 } }
                    if code == 15 {
                        group.addTask {
                            try await ending.run(fixture, fixture.database)
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(try await fixture.liveGrants() == 0)
            let all = try await fixture.sql("SELECT count(*) FROM grants")[0].int(0)
            #expect(all == fresh)
        }
    }

    @Test("All ends at once, twice each, and codes being redeemed: none stands in another's way")
    func allEnds() async throws {
        try await StorageFixture.run { fixture in
            for code in 0..<30 { _ = try await fixture.saveCode([UInt8(code)]) }
            for code in 0..<15 { _ = try await fixture.redeem([UInt8(code)]) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for ending in Ending.all + Ending.all {
                    group.addTask { try await ending.run(fixture, fixture.database) }
                }
                for code in 15..<30 { group.addTask { _ = try await fixture.redeem([UInt8(code)]) } }
                try await group.waitForAll()
            }
            #expect(try await fixture.liveGrants() == 0)
        }
    }

    @Test("A client is deleted while a code is being redeemed: nothing is left of either")
    func deletedClient() async throws {
        for isDeletedFirst in [false, true] {
            try await StorageFixture.run { fixture in
                _ = try await fixture.saveCode()
                let delete = Statement("test delete client", "DELETE FROM clients WHERE client_id = 'web1'")
                if isDeletedFirst {
                    let (_, redemption) = try await fixture.overlap(
                        { try await $0.query(delete).affected }, { try await fixture.redeem() })
                    guard case .refused = redemption else { throw TestFailure("redeemed") }
                } else {
                    let (redemption, _) = try await fixture.overlap(
                        { try await fixture.redeem(in: $0) }, { try await fixture.database.query(delete).affected })
                    guard case .fresh = redemption else { throw TestFailure("not redeemed") }
                }
                #expect(try await fixture.sql("SELECT FROM grants").isEmpty)
                #expect(try await fixture.sql("SELECT FROM authorization_codes").isEmpty)
            }
        }
    }

    @Test("A revocation among a hundred refreshes: it ends the family, once")
    func revocationAmongRefreshes() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let ended = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        _ = try await fixture.rotate(grant, 0)
                        return 0
                    }
                    if index % 25 == 10 {
                        group.addTask {
                            let outcome = try await fixture.grants.revoke(
                                grantID: grant.id, clientID: "web1", origin: .none)
                            return outcome == .ended ? 1 : 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(ended == 1)
            for generation in 0...1 as ClosedRange<Int64> {
                guard case .unknown = try await fixture.rotate(grant, generation) else {
                    throw TestFailure("generation \(generation) lives on")
                }
            }
            let events = try await fixture.sql("SELECT count(*) FROM audit_events WHERE event = 'token.revoked'")
            #expect(events[0].int(0) == 1)
        }
    }

    @Test("A refresh and a revocation of the access token meet: what the refresh brings counts as made before")
    func refreshFirst() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let (rotation, outcome) = try await fixture.overlap(
                {
                    try await GrantStore(database: $0).rotate(
                        grantID: grant.id, generation: 0, clientID: "web1", retryWindow: 60, idleLifetime: 100,
                        origin: .none)
                },
                {
                    try await fixture.grants.revokeAccessTokens(
                        grantID: grant.id, epoch: 0, clientID: "web1", origin: .none)
                })
            guard case .fresh(let refreshed) = rotation else { throw TestFailure("not rotated") }
            #expect(refreshed.accessEpoch == 0)
            #expect(outcome == .ended)
            let standing = try await fixture.grants.standing(ofGrant: grant.id)
            #expect(standing?.accessEpoch == 1 && standing?.end == nil && standing?.generation == 1)
        }
    }

    @Test("Of parallel revocations of one access token one counts")
    func epochOnce() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let ended = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let outcome = try await fixture.grants.revokeAccessTokens(
                            grantID: grant.id, epoch: 0, clientID: "web1", origin: .none)
                        return outcome == .ended ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(ended == 1)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.accessEpoch == 1)
        }
    }
}
