import JSON
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Ending grants") struct EndingTests {
    @Test("RFC 7009: a revoked grant is over, once, and only for its own client; what was ended is on record")
    func revoke() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            func revoke(_ clientID: String, _ grantID: Int64) async throws -> RevocationOutcome {
                try await fixture.grants.revoke(
                    grantID: grantID, clientID: clientID, origin: .init(address: "192.0.2.1", requestID: "r1"))
            }
            #expect(try await revoke("web2", grant.id) == .otherClients)
            #expect(try await revoke("web1", grant.id + 1) == .nothingToEnd)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == nil)
            #expect(try await fixture.sql("SELECT FROM audit_events WHERE event = 'token.revoked'").isEmpty)

            #expect(try await revoke("web1", grant.id) == .ended)
            #expect(try await revoke("web1", grant.id) == .nothingToEnd)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.revoked))
            guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("the grant lives on") }
            let events = try await fixture.sql(
                "SELECT event, actor_kind, actor, client_id, subject, address, request_id, detail::text FROM audit_events WHERE event = 'token.revoked'"
            )
            #expect(events.count == 1)
            #expect(
                (0..<7).map { events[0].string($0) } == [
                    "token.revoked", "client", "web1", "web1", grant.subject, "192.0.2.1", "r1",
                ])
            #expect(events[0].string(7) == "{\"grant\": \(grant.id), \"token\": \"refresh_token\"}")
        }
    }

    @Test("Revoking an access token ends those issued so far, and no later one; the refresh token stays")
    func accessTokens() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            #expect(grant.accessEpoch == 0)
            func revoke(_ epoch: Int64, _ clientID: String = "web1") async throws -> RevocationOutcome {
                try await fixture.grants.revokeAccessTokens(
                    grantID: grant.id, epoch: epoch, clientID: clientID, origin: .none)
            }
            func epoch() async throws -> Int64? {
                try await fixture.grants.standing(ofGrant: grant.id)?.accessEpoch
            }
            #expect(try await revoke(0, "web2") == .otherClients)
            #expect(try await epoch() == 0)
            #expect(try await revoke(0) == .ended)
            #expect(try await epoch() == 1)

            guard case .fresh(let next) = try await fixture.rotate(grant, 0) else { throw TestFailure("not rotated") }
            #expect(next.accessEpoch == 1)
            // The same token once more, as after a lost answer: the one that came of the refresh is not meant.
            #expect(try await revoke(0) == .nothingToEnd)
            #expect(try await epoch() == 1)
            #expect(try await revoke(1) == .ended)
            guard case .retried(let again) = try await fixture.rotate(grant, 0) else { throw TestFailure("no retry") }
            #expect(again.accessEpoch == 2)
            let events = try await fixture.sql(
                "SELECT detail ->> 'token' FROM audit_events WHERE event = 'token.revoked'")
            #expect((0..<events.count).map { events[$0].string(0) } == ["access_token", "access_token"])
        }
    }

    @Test(
        "What is over already is not ended again",
        arguments: [
            "UPDATE grants SET expires_at = now()", "UPDATE grants SET idle_expires_at = now()",
            "UPDATE grants SET ended_at = now(), end_reason = 'code_reused'",
        ])
    func over(change: String) async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql(change)
            let end = try await fixture.grants.standing(ofGrant: grant.id)?.end
            #expect(end != nil)
            #expect(
                try await fixture.grants.revoke(grantID: grant.id, clientID: "web1", origin: .none) == .nothingToEnd)
            #expect(
                try await fixture.grants.revokeAccessTokens(
                    grantID: grant.id, epoch: 0, clientID: "web1", origin: .none) == .nothingToEnd)
            #expect(try await !fixture.grants.end(grant.id, .endedByAdmin))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == end)
            #expect(try await fixture.sql("SELECT FROM audit_events WHERE event = 'token.revoked'").isEmpty)
        }
    }

    @Test("A grant can be ended by itself: its session and its siblings stay")
    func end() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.saveCode([10])
            guard case .fresh(let sibling) = try await fixture.redeem([10]) else { throw TestFailure("not redeemed") }
            #expect(try await fixture.grants.end(grant.id, .endedByAdmin))
            #expect(try await !fixture.grants.end(grant.id, .signedOut))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.endedByAdmin))
            #expect(try await fixture.grants.standing(ofGrant: sibling.id)?.end == nil)
            #expect(try await fixture.liveSessions() == 1)
        }
    }

    @Test("Ending a session ends what was made from it, once")
    func session() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let sessions = SessionStore(database: fixture.database)
            #expect(try await !sessions.end(fixture.session.id + 1, .signedOut))
            #expect(try await sessions.end(fixture.session.id, .signedOut))
            #expect(try await !sessions.end(fixture.session.id, .endedByAdmin))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.signedOut))
            let rows = try await fixture.sql("SELECT end_reason FROM browser_sessions")
            #expect(rows[0].optionalString(0) == "signed_out")
        }
    }

    @Test("Ending all sessions of an account says how many they were")
    func accountSessions() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.makeGrant()
            _ = try await fixture.saveCode([10])
            _ = try await fixture.redeem([10])
            let accounts = AccountStore(database: fixture.database)
            let ended = try await accounts.endSessions(fixture.session.accountID, .endedByAdmin)
            #expect(ended.sessions == 1 && ended.grants == 2)
            let again = try await accounts.endSessions(fixture.session.accountID, .endedByAdmin)
            #expect(again.sessions == 0 && again.grants == 0)
        }
    }

    @Test("A withdrawn consent takes codes and grants along, of that client only")
    func consent() async throws {
        try await StorageFixture.run { fixture in
            let consents = ConsentStore(database: fixture.database)
            let grant = try await fixture.makeGrant()
            _ = try await fixture.saveCode([10])
            #expect(try await !consents.withdraw(accountID: fixture.session.accountID, clientID: "web2"))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == nil)
            #expect(try await consents.withdraw(accountID: fixture.session.accountID, clientID: "web1"))
            #expect(try await !consents.withdraw(accountID: fixture.session.accountID, clientID: "web1"))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.consentWithdrawn))
            guard case .refused("unknown") = try await fixture.redeem([10]) else { throw TestFailure("redeemed") }
            #expect(try await fixture.liveSessions() == 1)
        }
    }

    @Test("A first-party client, of which nobody is asked, needs no consent")
    func firstParty() async throws {
        try await StorageFixture.run { fixture in
            var own = try StorageFixture.client()
            own.firstParty = true
            _ = try await ClientStore(database: fixture.database).put(own)
            _ = try await fixture.sql("DELETE FROM consents")
            _ = try await fixture.makeGrant()
        }
    }

    @Test("Every reason the database writes is known, and so is why a session ended", arguments: Ending.all)
    func reasons(ending: Ending) async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            try await ending.run(fixture, fixture.database)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(ending.reason))
            let rows = try await fixture.sql("SELECT ended_at IS NULL, end_reason FROM browser_sessions")
            #expect(rows[0].bool(0) == !ending.endsSession)
            #expect(rows[0].optionalString(1) == (ending.endsSession ? ending.reason.rawValue : nil))
        }
    }

    @Test("Off means off: what ended with a client, an account or a consent does not come back with it")
    func backOn() async throws {
        try await StorageFixture.run { fixture in
            let clients = ClientStore(database: fixture.database)
            let grant = try await fixture.makeGrant()
            _ = try await fixture.saveCode([10])
            #expect(try await clients.setEnabled(false, "web1"))
            // A node that has not heard of it gives another code.
            _ = try await fixture.saveCode([11])
            guard case .refused("client_disabled") = try await fixture.redeem([11]) else {
                throw TestFailure("redeemed")
            }
            #expect(try await clients.setEnabled(true, "web1"))
            for code in [10, 11] as [UInt8] {
                guard case .refused("unknown") = try await fixture.redeem([code]) else { throw TestFailure("redeemed") }
            }
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.clientDisabled))
            _ = try await fixture.saveCode([12])
            guard case .fresh = try await fixture.redeem([12]) else { throw TestFailure("a new sign-in is refused") }
        }
    }
    @Test("A client that many people use is off at once, and cannot be enabled before all that it had has ended")
    func manyGrants() async throws {
        try await StorageFixture.run { fixture in
            let clients = ClientStore(database: fixture.database)
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql(
                """
                INSERT INTO grants (client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr,
                    expires_at, idle_expires_at)
                SELECT client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr,
                    expires_at, idle_expires_at
                FROM grants, generate_series(1, 25000) WHERE id = \(grant.id)
                """)
            let live = "SELECT count(*) FROM grants WHERE ended_at IS NULL"
            #expect(try await clients.setEnabled(false, "web1"))
            #expect(try await fixture.sql(live)[0].int(0) == 15_001)
            await #expect(throws: ClientStore.StillEnding.self) { try await clients.setEnabled(true, "web1") }
            #expect(try await clients.find("web1")?.isEnabled == false)

            let housekeeping = Housekeeping(database: fixture.database)
            while try await housekeeping.runOnce() {}
            #expect(try await fixture.sql(live)[0].int(0) == 0)
            #expect(try await clients.setEnabled(true, "web1"))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.clientDisabled))
            // What it has from now on is nobody's to end.
            _ = try await fixture.saveCode([12])
            guard case .fresh = try await fixture.redeem([12]) else { throw TestFailure("a new sign-in is refused") }
            #expect(try await !housekeeping.runOnce())
            #expect(try await fixture.sql(live)[0].int(0) == 1)
        }
    }
}
