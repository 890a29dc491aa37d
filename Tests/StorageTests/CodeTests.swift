import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Authorization codes") struct CodeTests {
    @Test("A code gives its grant once; the second use ends what the first gave (RFC 6749 §4.1.2)")
    func once() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            #expect(grant.scope == ["openid"])
            #expect(grant.nonce == "n")
            #expect(grant.authTime == 1_700_000_000)
            guard case .replayed(grant.id) = try await fixture.redeem() else {
                throw TestFailure("not seen as a replay")
            }
            guard case .unknown = try await fixture.rotate(grant, 0) else { throw TestFailure("the grant lives on") }
            guard case .refused("unknown") = try await fixture.redeem() else { throw TestFailure("a third use") }
        }
    }

    @Test("100 parallel redemptions give one grant, and it is ended")
    func race() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        switch try await fixture.redeem() {
                        case .fresh: "fresh"
                        case .replayed: "replayed"
                        case .refused: "refused"
                        }
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["fresh": 1, "replayed": 1, "refused": 98])
            let rows = try await fixture.sql(
                "SELECT count(*), count(*) FILTER (WHERE end_reason = 'code_reused') FROM grants")
            #expect(rows[0].int(0) == 1)
            #expect(rows[0].int(1) == 1)
        }
    }

    @Test("B047: another client's attempt touches nothing")
    func otherClient() async throws {
        try await StorageFixture.run { fixture in
            _ = try await ClientStore(database: fixture.database).put(try StorageFixture.client("web2"))
            _ = try await fixture.saveCode()
            guard case .refused("unknown") = try await fixture.redeem(clientID: "web2") else {
                throw TestFailure("not refused")
            }
            guard case .fresh = try await fixture.redeem() else { throw TestFailure("the code was burnt") }
            guard case .refused("unknown") = try await fixture.redeem(clientID: "web2") else {
                throw TestFailure("not refused")
            }
            let rows = try await fixture.sql("SELECT ended_at IS NULL FROM grants")
            #expect(rows[0].bool(0))
        }
    }

    @Test(
        "A wrong verifier or redirect URI spends the code (RFC 7636 §4.6, B037, B041)",
        arguments: [
            ("https://rp.example/cb", nil, "wrong_verifier"), ("https://rp.example/cb", "other", "wrong_verifier"),
            ("https://rp.example/other", "challenge", "wrong_redirect_uri"), (nil, "challenge", "wrong_redirect_uri"),
        ] as [(String?, String?, String)])
    func wrongProof(redirectURI: String?, challenge: String?, reason: String) async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode(challenge: "challenge")
            guard case .refused(reason) = try await fixture.redeem(redirectURI: redirectURI, challenge: challenge)
            else {
                throw TestFailure("not refused for \(reason)")
            }
            guard case .refused("unknown") = try await fixture.redeem(challenge: "challenge") else {
                throw TestFailure("the code was not spent")
            }
        }
    }

    @Test("A verifier for a code without a challenge is refused (RFC 9700 §4.8.2)")
    func verifierWithoutChallenge() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            guard case .refused("wrong_verifier") = try await fixture.redeem(challenge: "any") else {
                throw TestFailure("not refused")
            }
        }
    }

    @Test("The same redemption asked again, after a lost answer of the database, gets the same grant")
    func sameRedemption() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode()
            guard case .fresh(let first) = try await fixture.redeem(redemption: [7]),
                case .fresh(let again) = try await fixture.redeem(redemption: [7])
            else { throw TestFailure("not the same") }
            #expect(first.id == again.id)
            guard case .replayed(first.id) = try await fixture.redeem(redemption: [8]) else {
                throw TestFailure("no replay")
            }
        }
    }

    @Test("An expired code is refused")
    func expired() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode(lifetime: -1)
            guard case .refused("expired") = try await fixture.redeem() else { throw TestFailure("not refused") }
        }
    }

    @Test("B085: saving the same code twice is fine until it is spent")
    func savedTwice() async throws {
        try await StorageFixture.run { fixture in
            #expect(try await fixture.saveCode())
            #expect(try await fixture.saveCode())
            guard case .fresh = try await fixture.redeem() else { throw TestFailure("not redeemed") }
            #expect(try await !fixture.saveCode())
        }
    }

    @Test("Saving a code again does not make it live longer, and one about to expire is given out no more")
    func savedAgainLater() async throws {
        try await StorageFixture.run { fixture in
            #expect(try await fixture.saveCode(lifetime: 60))
            let end = "SELECT extract(epoch FROM expires_at)::text FROM authorization_codes"
            let before = try await fixture.sql(end)[0].string(0)
            #expect(try await fixture.saveCode(lifetime: 60))
            let after = try await fixture.sql(end)[0].string(0)
            #expect(after == before)
            _ = try await fixture.sql("UPDATE authorization_codes SET expires_at = now() + interval '29 seconds'")
            #expect(try await !fixture.saveCode(lifetime: 60))
        }
    }

    @Test("Off means off: no grant for an account or session that has ended meanwhile")
    func signedOut() async throws {
        for end in ["UPDATE accounts SET status = 'disabled'", "UPDATE browser_sessions SET ended_at = now()"] {
            try await StorageFixture.run { fixture in
                _ = try await fixture.saveCode()
                _ = try await fixture.sql(end)
                guard case .refused("signed_out") = try await fixture.redeem() else { throw TestFailure("not refused") }
            }
        }
    }
}
