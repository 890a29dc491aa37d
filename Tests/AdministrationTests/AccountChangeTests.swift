import Administration
import JSON
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Changing accounts") struct AccountChangeTests {
    private static let bob = AccountEntry(
        username: "bob", claims: .object([.init("email", .string("bob@example.test"))]))

    @Test("A new account is on record without its password's hash")
    func create() async throws {
        try await StorageFixture.run { fixture in
            let made = try await fixture.change { try await $0.createAccount(Self.bob, passwordHash: "secret") }
            #expect(try await fixture.account(.username("BOB")).passwordHash == "secret")
            let after = """
                {"after":{"claims":{"email":"bob@example.test"},"has_password":true,"status":"active","username":"bob"}}
                """
            #expect(
                try await fixture.recorded() == [
                    Recorded(event: "account.created", subject: made.subject, clientID: nil, detail: after)
                ])
        }
    }

    @Test("All rules that a new account breaks are told at once, by field")
    func createInvalid() async throws {
        try await StorageFixture.run { fixture in
            let entry = AccountEntry(
                username: "a\u{200b}", claims: .object([.init("email", .integer(1)), .init("x", .null)]),
                status: .closed)
            let error = try await fixture.refusal {
                _ = try await fixture.change { try await $0.createAccount(entry, passwordHash: nil) }
            }
            #expect(error.fields == ["username", "claims.email", "claims.x", "status"])
            #expect(try await fixture.recorded().isEmpty)
        }
    }

    @Test("A username that NFKC makes too long for an index is refused, and no fault of the database")
    func longCanonicalUsername() async throws {
        try await StorageFixture.run { fixture in
            // Each stands for 18 characters of 33 bytes.
            let username = String(repeating: "\u{fdfa}", count: 85)
            let error = try await fixture.refusal {
                _ = try await fixture.change {
                    try await $0.createAccount(AccountEntry(username: username), passwordHash: nil)
                }
            }
            #expect(error.fields == ["username"])
        }
    }

    @Test("A change records the claims that it changes, and no others; one that changes nothing records nothing")
    func change() async throws {
        try await StorageFixture.run { fixture in
            let claims = JSON.object([
                .init("name", .string("Alice")), .init("email", .string("a@example.test")),
            ])
            let changed = try await fixture.change { changes in
                try await changes.changeAccount(fixture.alice) { account in
                    AccountEntry(username: "Alicia", claims: claims, status: account.status)
                }
            }
            #expect(changed.username == "Alicia" && changed.subject == fixture.session.subject)
            let expected = Recorded(
                event: "account.changed", subject: changed.subject, clientID: nil,
                detail: """
                    {"after":{"claims.email":"a@example.test","username":"Alicia"},"before":{"username":"alice@example.test"}}
                    """)
            #expect(try await fixture.recorded() == [expected])

            let same = try await fixture.change { changes in
                try await changes.changeAccount(.username("ALICIA")) { account in
                    AccountEntry(
                        username: account.username,
                        claims: .object((account.claims.objectValue ?? []).reversed()), status: account.status)
                }
            }
            #expect(same.updatedAt == changed.updatedAt)
            #expect(try await fixture.recorded() == [expected])
            // The person signs in as before: nothing ended.
            #expect(try await fixture.liveSessions() == 1)
        }
    }

    @Test("Another spelling of a name is a change, though Unicode takes both for the same")
    func spelling() async throws {
        try await StorageFixture.run { fixture in
            for name in ["\u{e9}", "e\u{301}"] {
                let changed = try await fixture.change { changes in
                    try await changes.changeAccount(fixture.alice) { account in
                        AccountEntry(
                            username: account.username, claims: .object([.init("name", .string(name))]),
                            status: account.status)
                    }
                }
                let stored = changed.claims["name"]?.stringValue ?? ""
                #expect(stored.utf8.elementsEqual(name.utf8))
            }
            let last = try #require(try await fixture.recorded().last)
            #expect(last.detail == "{\"after\":{\"claims.name\":\"e\u{301}\"},\"before\":{\"claims.name\":\"\u{e9}\"}}")
        }
    }

    @Test("What is left as it is may break a rule that came later: such an account can be disabled, too")
    func olderThanTheRules() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.sql(
                "UPDATE accounts SET username = E'a\\u200bb', claims = '{\"shoe_size\": 44, \"email\": \"nobody\"}'")
            let disabled = try await fixture.change { try await $0.setStatus(.disabled, of: fixture.alice) }
            #expect(disabled.status == .disabled)
            let error = try await fixture.refusal {
                _ = try await fixture.change { changes in
                    try await changes.changeAccount(fixture.alice) { account in
                        AccountEntry(
                            username: account.username,
                            claims: account.claims.merged(with: .object([.init("name", .string("A"))])),
                            status: .active)
                    }
                }
            }
            #expect(
                error.fields == ["claims.shoe_size", "claims.email"]
                    || error.fields == ["claims.email", "claims.shoe_size"])
        }
    }

    @Test("Disabled: all ends. Enabled again: nothing comes back. Each is on record once")
    func disable() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            for status in [AccountStatus.disabled, .disabled, .active, .active] {
                _ = try await fixture.change { try await $0.setStatus(status, of: fixture.alice) }
                #expect(try await fixture.liveGrants() == 0)
                #expect(try await fixture.liveSessions() == 0)
                guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("rotated") }
            }
            #expect(try await fixture.account(fixture.alice).passwordHash == "hash")
            let recorded = try await fixture.recorded()
            #expect(recorded.map(\.event) == ["account.disabled", "account.enabled"])
            #expect(recorded.allSatisfy { $0.subject == fixture.session.subject })
            #expect(recorded.first?.detail == #"{"after":{"status":"disabled"},"before":{"status":"active"}}"#)
        }
    }

    @Test("Closed: the password is gone, and so is every way back; claims and username can still be taken away")
    func close() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.change { try await $0.setStatus(.closed, of: fixture.alice) }
            #expect(try await fixture.account(fixture.alice).passwordHash == nil)
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.end == .ended(.accountClosed))
            for status in [AccountStatus.active, .disabled] {
                let error = try await fixture.refusal {
                    _ = try await fixture.change { try await $0.setStatus(status, of: fixture.alice) }
                }
                #expect(error.isConflict)
            }
            let error = try await fixture.refusal {
                try await fixture.change { try await $0.setPassword("new", of: fixture.alice) }
            }
            #expect(error.isConflict)
            #expect(try await fixture.account(fixture.alice).passwordHash == nil)

            let emptied = try await fixture.change { changes in
                try await changes.changeAccount(fixture.alice) { _ in
                    AccountEntry(username: "gone-1", status: .closed)
                }
            }
            #expect(emptied.claims == .object([]) && emptied.status == .closed)
            #expect(try await fixture.recorded().map(\.event) == ["account.closed", "account.changed"])
        }
    }

    @Test("A closed account keeps its username until it is given another; who has it then is another person")
    func usernameOfClosed() async throws {
        try await StorageFixture.run { fixture in
            let entry = AccountEntry(username: "ALICE@example.test")
            _ = try await fixture.change { try await $0.setStatus(.closed, of: fixture.alice) }
            let error = try await fixture.refusal {
                _ = try await fixture.change { try await $0.createAccount(entry, passwordHash: nil) }
            }
            #expect(error.isConflict)
            _ = try await fixture.change { changes in
                try await changes.changeAccount(fixture.alice) { _ in
                    AccountEntry(username: "closed-1", status: .closed)
                }
            }
            let new = try await fixture.change { try await $0.createAccount(entry, passwordHash: nil) }
            #expect(new.subject != fixture.session.subject)
            #expect(try await fixture.account(fixture.alice).username == "closed-1")
        }
    }

    @Test("A new password ends sessions and grants; neither it nor the old one is on record")
    func password() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.makeGrant()
            try await fixture.change { try await $0.setPassword("new-hash", of: fixture.alice) }
            #expect(try await fixture.account(fixture.alice).passwordHash == "new-hash")
            #expect(try await fixture.liveGrants() == 0)
            #expect(try await fixture.liveSessions() == 0)
            #expect(
                try await fixture.recorded() == [
                    Recorded(
                        event: "account.password_set", subject: fixture.session.subject, clientID: nil, detail: "{}")
                ])
        }
    }

    @Test("A dry run says what would be, does nothing and is not on record")
    func dryRun() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.makeGrant()
            let closed = try await fixture.change(isDryRun: true) { try await $0.setStatus(.closed, of: fixture.alice) }
            #expect(closed.status == .closed)
            let made = try await fixture.change(isDryRun: true) {
                try await $0.createAccount(Self.bob, passwordHash: nil)
            }
            #expect(made.username == "bob")
            let ended = try await fixture.change(isDryRun: true) { try await $0.endSessions(of: fixture.alice) }
            #expect(ended.sessions == 1 && ended.grants == 1)
            #expect(try await fixture.account(fixture.alice).status == .active)
            #expect(try await AccountStore(database: fixture.database).find(.username("bob")) == nil)
            #expect(try await fixture.liveGrants() == 1)
            #expect(try await fixture.recorded().isEmpty)
        }
    }

    @Test("What fails at the end of a transaction leaves neither change nor record")
    func allOrNothing() async throws {
        try await StorageFixture.run { fixture in
            let error = try await fixture.refusal {
                try await fixture.change { changes in
                    _ = try await changes.createAccount(Self.bob, passwordHash: nil)
                    _ = try await changes.setStatus(.disabled, of: fixture.alice)
                    _ = try await changes.createAccount(Self.bob, passwordHash: nil)
                }
            }
            #expect(error.isConflict)
            #expect(try await AccountStore(database: fixture.database).find(.username("bob")) == nil)
            #expect(try await fixture.account(fixture.alice).status == .active)
            #expect(try await fixture.recorded().isEmpty)
        }
    }

    @Test("Nobody by that name")
    func unknown() async throws {
        try await StorageFixture.run { fixture in
            for name in [AccountName.subject("nobody"), .username("nobody")] {
                let attempts: [@Sendable (Changes) async throws -> Void] = [
                    { _ = try await $0.setStatus(.active, of: name) }, { try await $0.setPassword("x", of: name) },
                    { _ = try await $0.endSessions(of: name) },
                    { try await $0.withdrawConsent(of: name, for: "web1") },
                ]
                for attempt in attempts {
                    let error = try await fixture.refusal { try await fixture.change { try await attempt($0) } }
                    #expect(error.isNotFound)
                }
            }
        }
    }

    // MARK: Side by side

    @Test("Two admins who have seen the same: one changes it, the other hears that it has changed")
    func sameSight() async throws {
        try await StorageFixture.run { fixture in
            let seen = try await fixture.account(fixture.alice).json
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        do {
                            _ = try await fixture.change { changes in
                                try await changes.changeAccount(fixture.alice, if: whileStill(seen)) { account in
                                    AccountEntry(
                                        username: account.username,
                                        claims: .object([.init("nickname", .string("\(number)"))]),
                                        status: account.status)
                                }
                            }
                            return true
                        } catch let error as AdministrationError where error.hasChangedMeanwhile {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 } == 1)
            #expect(try await fixture.recorded().count == 1)
        }
    }

    @Test("A username given to two at once is had by one")
    func sameUsername() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.change { try await $0.createAccount(Self.bob, passwordHash: nil) }
            let names: [AccountName] = [fixture.alice, .username("bob")]
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for (name, username) in zip(names, ["caf\u{e9}", "CAFE\u{301}"]) {
                    group.addTask {
                        do {
                            return try await fixture.change { changes in
                                try await changes.changeAccount(name) { _ in AccountEntry(username: username) }
                            }.subject
                        } catch let error as AdministrationError where error.isConflict {
                            return "conflict"
                        }
                    }
                }
                group.addTask {
                    do {
                        return try await fixture.change { changes in
                            try await changes.createAccount(AccountEntry(username: "Caf\u{e9}"), passwordHash: nil)
                        }.subject
                    } catch let error as AdministrationError where error.isConflict {
                        return "conflict"
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == "conflict" } == 2)
            let winner = try await fixture.account(.username("caf\u{e9}")).subject
            #expect(outcomes.contains(winner))
        }
    }
}
