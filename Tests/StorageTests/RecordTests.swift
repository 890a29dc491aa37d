import JSON
import OpenID
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("People, sessions, clients, consents") struct RecordTests {
    @Test("B100: one spelling per person, in case and in Unicode form")
    func canonicalUsernames() async throws {
        try await StorageFixture.run { fixture in
            let accounts = AccountStore(database: fixture.database)
            let made = try await fixture.makeAccount("Ren\u{e9}@Example.test")
            for spelling in ["rene\u{301}@example.test", "REN\u{c9}@EXAMPLE.TEST", "\u{ff32}en\u{e9}@example.test"] {
                #expect(try await accounts.find(username: spelling)?.subject == made.subject)
                await #expect(throws: TestFailure.self) { try await fixture.makeAccount(spelling) }
            }
            #expect(try await accounts.find(username: "rene@example.test") == nil)
        }
    }

    @Test("B014: NUL in a name never reaches the database as another name")
    func nul() async throws {
        try await StorageFixture.run { fixture in
            await #expect(throws: DatabaseError.self) {
                try await AccountStore(database: fixture.database).find(username: "alice@example.test\0")
            }
        }
    }

    @Test("B095: signing in again kills the former secret and keeps the session; another person's ends")
    func signInAgain() async throws {
        try await StorageFixture.run { fixture in
            let store = SessionStore(database: fixture.database)
            let accounts = AccountStore(database: fixture.database)
            let alice = try #require(try await accounts.find(username: "alice@example.test"))
            let again = try #require(
                try await store.signIn(
                    secretHash: [4], formerSecretHash: StorageFixture.sessionHash, newSID: "other", account: alice,
                    authTime: 1_700_000_100, acr: "acr", amr: ["pwd"], lifetime: 60, clientID: "web1", origin: .none))
            #expect(again.id == fixture.session.id)
            #expect(again.sid == "sid")
            #expect(try await store.find(secretHash: StorageFixture.sessionHash, clientID: "web1") == nil)
            #expect(try await store.find(secretHash: [4], clientID: "web1")?.session.authTime == 1_700_000_100)

            let bob = try await fixture.makeAccount("bob")
            let other = try #require(
                try await store.signIn(
                    secretHash: [5], formerSecretHash: [4], newSID: "bobs", account: bob, authTime: 1, acr: "acr",
                    amr: ["pwd"], lifetime: 60, clientID: "web1", origin: .none))
            #expect(other.sid == "bobs")
            #expect(other.accountName == "bob")
            #expect(try await store.find(secretHash: [4], clientID: "web1") == nil)
        }
    }

    @Test("Consents add up per person and app")
    func consents() async throws {
        try await StorageFixture.run { fixture in
            let consents = ConsentStore(database: fixture.database)
            let sessions = SessionStore(database: fixture.database)
            for scope in [["openid", "profile"], ["openid", "email"]] {
                try await consents.add(scope, by: fixture.session, clientID: "web1", origin: .none)
            }
            let consented = try await sessions.find(secretHash: StorageFixture.sessionHash, clientID: "web1")?
                .consentedScope
            #expect(consented == ["email", "openid", "profile"])
            let elsewhere = try await sessions.find(secretHash: StorageFixture.sessionHash, clientID: "web2")
            #expect(elsewhere?.consentedScope == nil)
        }
    }

    @Test("A client's secrets are added, told apart and deleted one by one, by nobody but their client's admin")
    func secrets() async throws {
        try await StorageFixture.run { fixture in
            let clients = ClientStore(database: fixture.database)
            let first = try await clients.addSecret([1], to: "web1", expiresAt: nil)
            let second = try await clients.addSecret([2], to: "web1", expiresAt: 1_000)
            #expect(try await clients.find("web1")?.secrets.map(\.hash) == [[1], [2]])
            let listed = try await clients.secrets(of: "web1")
            #expect(listed.map(\.id) == [first.id, second.id])
            #expect(listed.map(\.expiresAt) == [nil, 1_000])
            #expect(listed.map(\.hasExpired) == [false, true])
            #expect(try await clients.deleteSecret(first.id, of: "web2") == nil)
            #expect(try await clients.deleteSecret(first.id, of: "web1")?.id == first.id)
            #expect(try await clients.deleteSecret(first.id, of: "web1") == nil)
            #expect(try await clients.find("web1")?.secrets.map(\.hash) == [[2]])
        }
    }

    @Test("Failures count under each key, can be taken back, and are forgotten under one key only")
    func failures() async throws {
        try await StorageFixture.run { fixture in
            let store = SignInFailureStore(database: fixture.database)
            for count in 1...3 { #expect(try await store.add([1]) == Int64(count)) }
            for _ in 0..<4 { _ = try await store.add([2]) }
            var found = try await store.find([1], [2])
            #expect(found.first.count == 3)
            #expect(found.second.count == 4)
            try await store.takeBack([2])
            found = try await store.find([1], [2])
            #expect(found.second.count == 3)
            #expect(found.second.age >= 900)
            try await store.clear([1])
            found = try await store.find([1], [2])
            #expect(found.first.count == 0)
            #expect(found.second.count == 3)
        }
    }

    @Test("B079: cleaning up takes what is long over, and leaves what may still be asked for")
    func housekeeping() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode([1])
            _ = try await fixture.saveCode([2])
            let grant = try await fixture.makeGrant()
            _ = try await fixture.sql(
                "UPDATE authorization_codes SET expires_at = now() - interval '25 hours' WHERE code_hash = '\\x01'")
            _ = try await fixture.sql(
                "UPDATE authorization_codes SET expires_at = now() - interval '23 hours' WHERE code_hash = '\\x02'")
            #expect(try await !Housekeeping(database: fixture.database).runOnce())
            let rows = try await fixture.sql("SELECT encode(code_hash, 'hex') FROM authorization_codes ORDER BY 1")
            #expect(rows.map { $0.string(0) } == ["02", "09"])
            guard case .fresh = try await fixture.rotate(grant, 0) else { throw TestFailure("a live family is gone") }
        }
    }
}
