import JSON
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Accounts as admins find and change them") struct AccountTests {
    @Test("Found by sub, byte for byte, and by username in any spelling; locked ones too")
    func find() async throws {
        try await StorageFixture.run { fixture in
            let subject = fixture.session.subject
            try await fixture.database.transaction { transaction in
                let locking = AccountStore(database: transaction)
                for name in [AccountName.subject(subject), .username("ALICE@example.test")] {
                    let found = try await AccountStore(database: fixture.database).find(name)
                    let locked = try await locking.findAndLock(name)
                    #expect(found?.id == fixture.session.accountID)
                    #expect(locked?.id == fixture.session.accountID)
                }
                let strangers = [subject.uppercased(), "alice@example.test"].map(AccountName.subject)
                for name in strangers + [.username("nobody")] {
                    let found = try await locking.find(name)
                    let locked = try await locking.findAndLock(name)
                    #expect(found == nil && locked == nil)
                }
            }
        }
    }

    @Test("A username is taken in every spelling, by whatever account has it")
    func taken() async throws {
        try await StorageFixture.run { fixture in
            let store = AccountStore(database: fixture.database)
            func create(_ username: String) async throws -> Account? {
                try await store.create(
                    username: username, passwordHash: nil, claims: .object([]), status: .active)
            }
            let made = try #require(try await create("Ren\u{e9} \u{212a}"))
            #expect(made.username.unicodeScalars.map(\.value).contains(0x212a))
            for spelling in ["rene\u{301} k", "REN\u{c9} K", "\u{ff32}en\u{e9} k", "Ren\u{e9} \u{212a}"] {
                #expect(try await create(spelling) == nil, "\(spelling)")
            }
            let other = try #require(try await create("rene k"))
            await #expect(throws: AccountStore.UsernameTaken.self) {
                try await store.change(other.id, username: "RENE\u{301} k", claims: .object([]), status: .active)
            }
            let renamed = try await store.change(
                made.id, username: "rene\u{301} k", claims: .object([]), status: .active)
            #expect(renamed?.subject == made.subject)
        }
    }

    @Test("Closing takes the password and is final, whatever else is changed")
    func closed() async throws {
        try await StorageFixture.run { fixture in
            let store = AccountStore(database: fixture.database)
            let id = fixture.session.accountID
            func change(_ status: AccountStatus, _ username: String = "alice@example.test") async throws -> Account? {
                try await store.change(id, username: username, claims: .object([]), status: status)
            }
            let disabled = try await change(.disabled)
            #expect(disabled?.passwordHash == "hash")
            #expect(try await change(.active)?.passwordHash == "hash")
            #expect(try await change(.closed)?.passwordHash == nil)
            #expect(try await change(.active) == nil)
            #expect(try await change(.disabled) == nil)
            #expect(try await store.find(.subject(fixture.session.subject))?.status == .closed)
            #expect(try await change(.closed, "gone")?.username == "gone")
            #expect(try await store.change(id + 1, username: "x", claims: .object([]), status: .closed) == nil)
        }
    }

    @Test("Pages in byte order of the canonical username, whatever the spelling; each account on one page")
    func pages() async throws {
        try await StorageFixture.run { fixture in
            let store = AccountStore(database: fixture.database)
            for username in ["Zoe", "\u{e9}mile", "Bob", "_x", "b_ob", "bob2", "\u{10ffff}"] {
                _ = try await store.create(
                    username: username, passwordHash: nil, claims: .object([]), status: .disabled)
            }
            let sorted = ["_x", "alice@example.test", "b_ob", "Bob", "bob2", "Zoe", "\u{e9}mile", "\u{10ffff}"]
            for limit in 1...9 {
                var found: [String] = []
                while true {
                    let page = try await store.page(after: found.last ?? "", holding: "", limit: Int64(limit))
                    #expect(page.count <= limit)
                    found += page.map(\.username)
                    if page.count < limit { break }
                }
                #expect(found == sorted)
            }
        }
    }

    @Test(
        "Looked for in username, name and email, in any spelling; no character is special",
        arguments: [
            ("ALICE", ["alice@example.test", "bob"]), ("alice@EX", ["alice@example.test"]),
            ("\u{c9}MILE", ["bob"]), ("emile", []), ("100%", ["bob"]), ("%", ["bob"]), ("_", ["bob"]),
            ("b_b", []), ("\\", []), ("BOB_@", ["bob"]), ("'; --", []), ("true", []),
        ])
    func search(text: String, usernames: [String]) async throws {
        try await StorageFixture.run { fixture in
            let store = AccountStore(database: fixture.database)
            let claims = JSON.object([
                .init("name", .string("\u{c9}mile 100% of Alice")), .init("email", .string("Bob_@Example.test")),
                .init("email_verified", .bool(true)),
            ])
            _ = try await store.create(username: "bob", passwordHash: nil, claims: claims, status: .active)
            let found = try await store.page(after: "", holding: text, limit: 10)
            #expect(found.map(\.username) == usernames)
        }
    }

    // MARK: A sign-in that is going on

    private static func signIn(_ fixture: StorageFixture, in runner: any StatementRunner) async throws
        -> BrowserSession?
    {
        guard let account = try await AccountStore(database: fixture.database).find(username: "alice@example.test")
        else { throw TestFailure("there is no account") }
        return try await SessionStore(database: runner).signIn(
            secretHash: [7], formerSecretHash: nil, newSID: "sid7", account: account, authTime: 1_700_000_000,
            acr: "acr", amr: ["pwd"], lifetime: 3_600, clientID: "web1", origin: .none)
    }

    private static func end(_ ending: String, _ fixture: StorageFixture, in runner: any StatementRunner) async throws {
        let store = AccountStore(database: runner)
        let id = fixture.session.accountID
        switch ending {
        case "disabled", "closed":
            let status = AccountStatus(rawValue: ending) ?? .active
            _ = try await store.change(id, username: "alice@example.test", claims: .object([]), status: status)
        case "password": _ = try await store.setPassword("new", username: "alice@example.test")
        default: _ = try await store.endSessions(id, .endedByAdmin)
        }
    }

    @Test(
        "The end comes while a person signs in: it waits for the session, and takes it",
        arguments: ["disabled", "closed", "password", "sessions"])
    func signInFirst(ending: String) async throws {
        try await StorageFixture.run { fixture in
            let (session, _) = try await fixture.overlap(
                { try await Self.signIn(fixture, in: $0) },
                { try await Self.end(ending, fixture, in: fixture.database) })
            #expect(session != nil)
            #expect(try await fixture.liveSessions() == 0)
            #expect(try await SessionStore(database: fixture.database).find(secretHash: [7], clientID: "web1") == nil)
        }
    }

    @Test(
        "A person signs in while the end is under way: no session, nor one from before",
        arguments: ["disabled", "closed", "password"])
    func endFirst(ending: String) async throws {
        try await StorageFixture.run { fixture in
            let (_, session) = try await fixture.overlap(
                { try await Self.end(ending, fixture, in: $0) },
                { try await Self.signIn(fixture, in: fixture.database) })
            #expect(session == nil)
            #expect(try await fixture.liveSessions() == 0)
        }
    }
}
