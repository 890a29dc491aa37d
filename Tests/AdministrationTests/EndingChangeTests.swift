import Administration
import JSON
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Ending what people have at apps") struct EndingChangeTests {
    @Test("All sessions and grants of a person end, once, and how many is on record")
    func all() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let ended = try await fixture.change { try await $0.endSessions(of: fixture.alice) }
            #expect(ended.sessions == 1 && ended.grants == 1)
            let again = try await fixture.change { try await $0.endSessions(of: fixture.alice) }
            #expect(again.sessions == 0 && again.grants == 0)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.endedByAdmin))
            #expect(
                try await fixture.recorded() == [
                    Recorded(
                        event: "account.sessions_ended", subject: fixture.session.subject, clientID: nil,
                        detail: #"{"grants":1,"sessions":1}"#)
                ])
        }
    }

    @Test("One session ends with its grants, once")
    func session() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.makeGrant()
            let seen = try #require(try await SessionStore(database: fixture.database).record(sid: "sid")).json
            for _ in 0..<2 { try await fixture.change { try await $0.endSession("sid") } }
            #expect(try await fixture.liveGrants() == 0)
            #expect(try await fixture.liveSessions() == 0)
            let recorded = try await fixture.recorded()
            #expect(recorded.map(\.event) == ["session.ended"])
            #expect(recorded.first?.subject == fixture.session.subject)
            let text = String(decoding: canonical(seen).serialized(), as: UTF8.self)
            #expect(recorded.first?.detail == "{\"before\":\(text)}")
            let error = try await fixture.refusal { try await fixture.change { try await $0.endSession("other") } }
            #expect(error.isNotFound)
        }
    }

    @Test("One grant ends, once; the session goes on")
    func grant() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            for _ in 0..<2 { try await fixture.change { try await $0.endGrant(grant.id) } }
            #expect(try await fixture.liveGrants() == 0)
            #expect(try await fixture.liveSessions() == 1)
            let recorded = try await fixture.recorded()
            #expect(recorded.map(\.event) == ["grant.ended"])
            #expect(recorded.first?.clientID == "web1" && recorded.first?.subject == fixture.session.subject)
            let error = try await fixture.refusal {
                try await fixture.change { try await $0.endGrant(grant.id + 1) }
            }
            #expect(error.isNotFound)
        }
    }

    @Test("A consent is forgotten with what came of it; there is nothing to forget then")
    func consent() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            try await fixture.change { try await $0.withdrawConsent(of: fixture.alice, for: "web1") }
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.consentWithdrawn))
            #expect(try await fixture.liveSessions() == 1)
            for client in ["web1", "nobody"] {
                let error = try await fixture.refusal {
                    try await fixture.change { try await $0.withdrawConsent(of: fixture.alice, for: client) }
                }
                #expect(error.isNotFound)
            }
            let recorded = try await fixture.recorded()
            #expect(recorded.map(\.event) == ["consent.withdrawn"])
            #expect(recorded.first?.clientID == "web1" && recorded.first?.subject == fixture.session.subject)
            #expect(recorded.first?.detail.contains("\"scope\":\"openid\"") == true)
        }
    }

    @Test("Nothing ends when it is not what the admin has seen")
    func preconditions() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let stale = whileStill(.object([]))
            let attempts: [@Sendable (Changes) async throws -> Void] = [
                { _ = try await $0.endSessions(of: fixture.alice, if: stale) },
                { try await $0.endSession("sid", if: stale) }, { try await $0.endGrant(grant.id, if: stale) },
                { try await $0.withdrawConsent(of: fixture.alice, for: "web1", if: stale) },
                { try await $0.setPassword("new", of: fixture.alice, if: stale) },
            ]
            for attempt in attempts {
                let error = try await fixture.refusal { try await fixture.change { try await attempt($0) } }
                #expect(error.hasChangedMeanwhile)
            }
            #expect(try await fixture.liveGrants() == 1)
            #expect(try await fixture.liveSessions() == 1)
            #expect(try await fixture.recorded().isEmpty)
        }
    }

    @Test("An admin ends everything of a person while thirty codes are redeemed: nothing lives on")
    func whileRedeeming() async throws {
        try await StorageFixture.run { fixture in
            for code in 0..<30 { _ = try await fixture.saveCode([UInt8(code)]) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for code in 0..<30 {
                    group.addTask { _ = try await fixture.redeem([UInt8(code)]) }
                    if code % 10 == 5 {
                        group.addTask { _ = try await fixture.change { try await $0.endSessions(of: fixture.alice) } }
                        group.addTask {
                            _ = try? await fixture.change {
                                try await $0.withdrawConsent(of: fixture.alice, for: "web1")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await fixture.liveGrants() == 0)
            #expect(try await fixture.liveSessions() == 0)
        }
    }
}
