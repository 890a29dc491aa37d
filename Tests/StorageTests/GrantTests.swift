import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Refresh-token families") struct GrantTests {
    @Test("The newest token rotates; the one before it gets the same successor again (B062)")
    func retry() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            guard case .fresh(let first) = try await fixture.rotate(grant, 0) else { throw TestFailure("not rotated") }
            #expect(first.generation == 1)
            for _ in 0..<3 {
                guard case .retried(let again) = try await fixture.rotate(grant, 0) else {
                    throw TestFailure("no retry")
                }
                #expect(again.generation == 1)
            }
            let rows = try await fixture.sql("SELECT retries, generation FROM grants")
            #expect(rows[0].int(0) == 3)
            #expect(rows[0].int(1) == 1)
            guard case .fresh(let second) = try await fixture.rotate(grant, 1) else { throw TestFailure("not rotated") }
            #expect(second.generation == 2)
        }
    }

    @Test("B061: once the successor was used, its predecessor is a replay and ends the family")
    func replay() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.rotate(grant, 0)
            _ = try await fixture.rotate(grant, 1)
            guard case .reused = try await fixture.rotate(grant, 0) else { throw TestFailure("not seen as reuse") }
            guard case .unknown = try await fixture.rotate(grant, 2) else { throw TestFailure("the family lives on") }
            let rows = try await fixture.sql("SELECT end_reason FROM grants")
            #expect(rows[0].string(0) == "refresh_token_reused")
        }
    }

    @Test("After the window, or with a window of 0, the predecessor ends the family")
    func window() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.rotate(grant, 0)
            _ = try await fixture.sql("UPDATE grants SET rotated_at = rotated_at - interval '61 seconds'")
            guard case .reused = try await fixture.rotate(grant, 0) else { throw TestFailure("the window did not end") }
        }
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.rotate(grant, 0, window: 0)
            guard case .reused = try await fixture.rotate(grant, 0, window: 0) else { throw TestFailure("not strict") }
        }
    }

    @Test("100 parallel refreshes of one token give one live successor")
    func race() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let generations = try await withThrowingTaskGroup(of: (Bool, Int64).self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        switch try await fixture.rotate(grant, 0) {
                        case .fresh(let grant): (true, grant.generation)
                        case .retried(let grant): (false, grant.generation)
                        case .reused, .unknown: (false, -1)
                        }
                    }
                }
                return try await group.reduce(into: [(Bool, Int64)]()) { $0.append($1) }
            }
            #expect(generations.count { $0.0 } == 1)
            #expect(generations.allSatisfy { $0.1 == 1 })
        }
    }

    @Test("100 parallel refreshes with a window of 0: one success, and the family has ended")
    func strictRace() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        if case .fresh = try await fixture.rotate(grant, 0, window: 0) { true } else { false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(fresh == 1)
            guard case .unknown = try await fixture.rotate(grant, 1) else { throw TestFailure("the family lives on") }
        }
    }

    @Test("B065: another client's attempt touches nothing")
    func otherClient() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            guard case .unknown = try await fixture.rotate(grant, 0, clientID: "web2") else {
                throw TestFailure("rotated")
            }
            guard case .fresh = try await fixture.rotate(grant, 0) else { throw TestFailure("the token was burnt") }
        }
    }

    @Test(
        "A family ends with its time in all, unused, and with its account",
        arguments: [
            "UPDATE grants SET expires_at = now()", "UPDATE grants SET idle_expires_at = now()",
            "UPDATE grants SET ended_at = now()", "UPDATE accounts SET status = 'disabled'",
        ])
    func ends(change: String) async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql(change)
            guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("rotated") }
        }
    }

    @Test("Off means off: activating an account again brings nothing back")
    func disabledAndActivated() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql("UPDATE accounts SET status = 'disabled'")
            _ = try await fixture.sql("UPDATE accounts SET status = 'active'")
            guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("rotated") }
            let session = try await SessionStore(database: fixture.database).find(
                secretHash: StorageFixture.sessionHash, clientID: "web1")
            #expect(session == nil)
            let rows = try await fixture.sql("SELECT end_reason FROM grants")
            #expect(rows[0].string(0) == "account_disabled")
        }
    }

    @Test("Rotating changes no indexed column: the new version stays on its page")
    func heapOnly() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            for generation in 0..<20 { _ = try await fixture.rotate(grant, Int64(generation)) }
            _ = try await fixture.sql("SELECT pg_stat_force_next_flush()")
            let rows = try await fixture.sql(
                "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'grants'")
            #expect(rows[0].int(0) == 20)
            #expect(rows[0].int(1) == 20)
        }
    }

    @Test("A changed password ends the person's sessions and families")
    func password() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            #expect(
                try await AccountStore(database: fixture.database).setPassword("new", username: "ALICE@example.test"))
            guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("rotated") }
            let session = try await SessionStore(database: fixture.database).find(
                secretHash: StorageFixture.sessionHash, clientID: "web1")
            #expect(session == nil)
        }
    }

    @Test("A sign-in by a password that was changed meanwhile gives no session; nor does one of a disabled account")
    func staleSignIn() async throws {
        try await StorageFixture.run { fixture in
            let accounts = AccountStore(database: fixture.database)
            let store = SessionStore(database: fixture.database)
            func signIn(_ account: Account, _ hash: UInt8) async throws -> BrowserSession? {
                try await store.signIn(
                    secretHash: [hash], formerSecretHash: nil, newSID: "sid\(hash)", account: account, authTime: 1,
                    acr: "acr", amr: ["pwd"], lifetime: 60, clientID: "web1", origin: .none)
            }
            let before = try #require(try await accounts.find(username: "alice@example.test"))
            #expect(try await accounts.setPassword("new", username: before.username))
            #expect(try await signIn(before, 20) == nil)
            let after = try #require(try await accounts.find(username: "alice@example.test"))
            #expect(try await signIn(after, 21) != nil)
            _ = try await fixture.sql("UPDATE accounts SET status = 'disabled'")
            #expect(try await signIn(after, 22) == nil)
            let live = try await fixture.sql("SELECT count(*) FROM browser_sessions WHERE ended_at IS NULL")
            #expect(live[0].int(0) == 0)
        }
    }

    @Test("A code that is redeemed while the password changes leaves no family behind")
    func passwordDuringRedemption() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            let redeem = Statement(
                "test redeem",
                "SELECT grant_id FROM redeem_code('\\x09', 'web1', 'https://rp.example/cb', NULL, '\\x01', 100, 1000)")
            // The change begins when the code is redeemed but not committed; that waits until the change either waits for
            // it, or is over and has not seen the grant.
            let isRedeemed = """
                SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                    AND state = 'idle in transaction' AND query LIKE '%FROM redeem_code(%')
                """
            let isDecided = """
                SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                        AND wait_event_type = 'Lock')
                    OR EXISTS (SELECT FROM accounts WHERE password_hash = 'new')
                """
            async let grant = fixture.database.transaction { transaction in
                let grant = try await transaction.query(redeem)[0].int(0)
                while try await !fixture.sql(isDecided)[0].bool(0) { try Task.checkCancellation() }
                return grant
            }
            while try await !fixture.sql(isRedeemed)[0].bool(0) {}
            #expect(
                try await AccountStore(database: fixture.database).setPassword("new", username: "alice@example.test"))
            let rows = try await fixture.sql("SELECT end_reason FROM grants WHERE id = \(try await grant)")
            #expect(rows[0].optionalString(0) == "password_changed")
        }
    }
}
