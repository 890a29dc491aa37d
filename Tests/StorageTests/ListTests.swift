import JSON
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Sessions, grants and consents as admins see them") struct ListTests {
    @Test("A session says what it is, how it stands and how many live grants it has")
    func session() async throws {
        try await StorageFixture.run { fixture in
            let sessions = SessionStore(database: fixture.database)
            let grants = try await Self.grants(3, in: fixture)
            _ = try await fixture.grants.end(grants[0].id, .endedByAdmin)
            _ = try await fixture.sql("UPDATE grants SET idle_expires_at = now() WHERE id = \(grants[1].id)")
            let live = try #require(try await sessions.record(sid: "sid"))
            #expect(live.id == fixture.session.id)
            #expect(live.subject == fixture.session.subject)
            #expect(live.authTime == 1_700_000_000)
            #expect(live.acr == "acr")
            #expect(live.amr == ["pwd"])
            #expect(live.expiresAt == live.createdAt + 3_600)
            #expect(live.standing == .live)
            #expect(live.liveGrants == 1)
            #expect(live.endedAt == nil && live.endReason == nil)

            _ = try await fixture.sql("UPDATE browser_sessions SET expires_at = now()")
            #expect(try await sessions.record(sid: "sid")?.standing == .expired)
            #expect(try await sessions.end(live.id, .endedByAdmin))
            let ended = try #require(try await sessions.record(sid: "sid"))
            #expect(ended.standing == .ended)
            #expect(ended.endReason == "ended_by_admin")
            #expect(ended.endedAt != nil)
            #expect(ended.liveGrants == 0)
            #expect(try await sessions.record(sid: "SID") == nil)
        }
    }

    @Test("Sessions of an account, the newest first, live ones or all, page by page")
    func sessions() async throws {
        try await StorageFixture.run { fixture in
            let sessions = SessionStore(database: fixture.database)
            let accounts = AccountStore(database: fixture.database)
            let alice = try #require(try await accounts.find(username: "alice@example.test"))
            let bob = try await fixture.makeAccount("bob")
            for number in 1...4 {
                for account in [alice, bob] {
                    _ = try await sessions.signIn(
                        secretHash: [UInt8(number), UInt8(account.id)], formerSecretHash: nil,
                        newSID: "\(account.username)\(number)", account: account, authTime: 1, acr: "acr", amr: ["pwd"],
                        lifetime: 60, clientID: "web1", origin: .none)
                }
            }
            _ = try await fixture.sql("UPDATE browser_sessions SET ended_at = now() WHERE sid LIKE '%2'")
            _ = try await fixture.sql("UPDATE browser_sessions SET expires_at = now() WHERE sid LIKE '%3'")
            func all(_ account: Account, _ filter: StandingFilter, _ limit: Int64) async throws -> [String] {
                var found: [SessionRecord] = []
                while true {
                    let page = try await sessions.page(
                        ofAccount: account.id, before: found.last?.id, filter, limit: limit)
                    found += page
                    if page.count < limit { return found.map(\.sid) }
                }
            }
            for limit: Int64 in 1...6 {
                #expect(try await all(bob, .all, limit) == ["bob4", "bob3", "bob2", "bob1"])
                #expect(try await all(bob, .live, limit) == ["bob4", "bob1"])
            }
            #expect(try await all(alice, .all, 10).last == "sid")
        }
    }

    @Test("A grant says what it is, how it stands and how often its token was handed out again")
    func grant() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let fresh = try #require(try await fixture.grants.record(grant.id))
            #expect(fresh.clientID == "web1" && fresh.subject == fixture.session.subject && fresh.sid == "sid")
            #expect(fresh.scope == ["openid"] && fresh.acr == "acr" && fresh.amr == ["pwd"])
            #expect(fresh.authTime == 1_700_000_000 && fresh.refreshedAt == nil)
            #expect(fresh.expiresAt == fresh.createdAt + 1_000 && fresh.idleExpiresAt == fresh.createdAt + 100)
            #expect(fresh.standing == .live && fresh.retries == 0)

            _ = try await fixture.rotate(grant, 0)
            _ = try await fixture.rotate(grant, 0)
            let used = try #require(try await fixture.grants.record(grant.id))
            #expect(used.refreshedAt != nil && used.retries == 1)

            _ = try await fixture.sql("UPDATE grants SET idle_expires_at = now()")
            #expect(try await fixture.grants.record(grant.id)?.standing == .expired)
            _ = try await fixture.sql("UPDATE grants SET idle_expires_at = expires_at, expires_at = now()")
            #expect(try await fixture.grants.record(grant.id)?.standing == .expired)
            _ = try await fixture.sql("UPDATE grants SET ended_at = now(), end_reason = 'code_reused'")
            let ended = try #require(try await fixture.grants.record(grant.id))
            #expect(ended.standing == .ended && ended.endReason == "code_reused" && ended.endedAt != nil)
            #expect(try await fixture.grants.record(grant.id + 1) == nil)
        }
    }

    @Test("Grants of an account, of a client, or of both; the newest first, live ones or all, page by page")
    func grants() async throws {
        try await StorageFixture.run { fixture in
            let alice = fixture.session.accountID
            let bob = try await fixture.makeAccount("bob").id
            _ = try await ClientStore(database: fixture.database).put(try StorageFixture.client("web2"))
            let original = try await fixture.makeGrant().id
            for (account, client) in [(alice, "web2"), (bob, "web1"), (bob, "web2"), (alice, "web1")] {
                _ = try await fixture.sql(
                    """
                    INSERT INTO grants (account_id, session_id, auth_time, expires_at, idle_expires_at, client_id, subject,
                        sid, acr, scope, amr)
                    SELECT \(account), session_id, auth_time, expires_at, idle_expires_at, '\(client)', subject, sid, acr,
                        scope, amr
                    FROM grants WHERE id = \(original)
                    """)
            }
            let ids = try await fixture.sql("SELECT id FROM grants ORDER BY id")
            #expect(ids.count == 5)
            let id = (0..<5).map { ids[$0].int(0) }
            _ = try await fixture.sql("UPDATE grants SET ended_at = now() WHERE id = \(id[1])")
            _ = try await fixture.sql("UPDATE grants SET expires_at = now() WHERE id = \(id[2])")
            func all(_ owner: GrantOwner, _ filter: StandingFilter, _ limit: Int64) async throws -> [Int64] {
                var found: [Int64] = []
                while true {
                    let page = try await fixture.grants.page(of: owner, before: found.last, filter, limit: limit)
                    found += page.map(\.id)
                    if page.count < limit { return found }
                }
            }
            for limit: Int64 in 1...6 {
                #expect(try await all(.account(alice), .all, limit) == [id[4], id[1], id[0]])
                #expect(try await all(.account(alice), .live, limit) == [id[4], id[0]])
                #expect(try await all(.client("web1"), .all, limit) == [id[4], id[2], id[0]])
                #expect(try await all(.client("web1"), .live, limit) == [id[4], id[0]])
                #expect(try await all(.both(accountID: bob, clientID: "web2"), .all, limit) == [id[3]])
                #expect(try await all(.both(accountID: bob, clientID: "web1"), .live, limit) == [])
            }
            #expect(try await all(.client("nobody"), .all, 5) == [])
        }
    }

    @Test("Consents of an account by client_id, and of a client by account, page by page")
    func consents() async throws {
        try await StorageFixture.run { fixture in
            let alice = fixture.session.accountID
            let bob = try await fixture.makeAccount("bob")
            for client in ["Web3", "web2"] {
                _ = try await ClientStore(database: fixture.database).put(try StorageFixture.client(client))
                for account in [alice, bob.id] {
                    _ = try await fixture.sql(
                        """
                        INSERT INTO consents (account_id, client_id, scope) VALUES (\(account), '\(client)', '{email,openid}')
                        """)
                }
            }
            let consents = ConsentStore(database: fixture.database)
            let one = try #require(try await consents.record(accountID: bob.id, clientID: "web2"))
            #expect(one.subject == bob.subject && one.scope == ["email", "openid"] && one.createdAt == one.updatedAt)
            #expect(try await consents.record(accountID: bob.id, clientID: "web1") == nil)

            let first = try await consents.page(ofAccount: alice, after: "", limit: 2)
            #expect(first.map(\.clientID) == ["Web3", "web1"])
            let rest = try await consents.page(ofAccount: alice, after: "web1", limit: 2)
            #expect(rest.map(\.clientID) == ["web2"])

            let people = try await consents.page(ofClient: "web2", after: 0, limit: 1)
            #expect(people.map(\.accountID) == [alice])
            let others = try await consents.page(ofClient: "web2", after: alice, limit: 5)
            #expect(others.map(\.subject) == [bob.subject])
        }
    }

    @Test("Ending a session that somebody else's sign-in replaced ends the grants it still had")
    func replaced() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let sessions = SessionStore(database: fixture.database)
            let bob = try await fixture.makeAccount("bob")
            _ = try await sessions.signIn(
                secretHash: [5], formerSecretHash: StorageFixture.sessionHash, newSID: "bobs", account: bob,
                authTime: 1, acr: "acr", amr: ["pwd"], lifetime: 60, clientID: "web1", origin: .none)
            let replaced = try #require(try await sessions.record(sid: "sid"))
            #expect(replaced.standing == .ended && replaced.endReason == "signed_out" && replaced.liveGrants == 1)
            #expect(try await sessions.end(replaced.id, .endedByAdmin))
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.endedByAdmin))
            #expect(try await !sessions.end(replaced.id, .endedByAdmin))
            #expect(try await sessions.record(sid: "sid")?.endReason == "signed_out")
        }
    }

    private static func grants(_ count: Int, in fixture: StorageFixture) async throws -> [Grant] {
        var grants: [Grant] = []
        for number in 0..<count {
            _ = try await fixture.saveCode([UInt8(number)])
            guard case .fresh(let grant) = try await fixture.redeem([UInt8(number)]) else {
                throw TestFailure("the code was not fresh")
            }
            grants.append(grant)
        }
        return grants
    }
}
