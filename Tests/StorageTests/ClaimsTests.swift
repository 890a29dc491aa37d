import JSON
import OpenID
import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("Claims that were asked for by name (Core §5.5)") struct ClaimsTests {
    @Test("Go from the code to the grant, and come back with each refresh")
    func throughTheGrant() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode(userInfoClaims: [.email, .address], idTokenClaims: [.name, .updatedAt])
            guard case .fresh(let grant) = try await fixture.redeem() else { throw TestFailure("not fresh") }
            #expect(grant.idTokenClaims == [.name, .updatedAt])
            #expect(grant.claims?["name"] == .string("Alice"))
            let standing = try #require(
                try await fixture.grants.standing(ofGrant: grant.id, withClaimsOf: ["openid", "email"]))
            #expect(standing.userInfoClaims == [.email, .address])

            guard case .fresh(let refreshed) = try await fixture.rotate(grant, 0),
                case .retried(let retried) = try await fixture.rotate(grant, 0)
            else { throw TestFailure("not refreshed") }
            for later in [refreshed, retried] {
                #expect(later.idTokenClaims == grant.idTokenClaims)
                #expect(later.claims == grant.claims)
            }
        }
    }

    @Test("The person's claims are those of today, with updated_at in whole seconds")
    func today() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode(idTokenClaims: [.name])
            guard case .fresh(let grant) = try await fixture.redeem() else { throw TestFailure("not fresh") }
            _ = try await fixture.sql(
                """
                UPDATE accounts SET claims = '{"name": "Alice B."}', updated_at = '2026-01-02 03:04:05.678+00'
                """)
            guard case .fresh(let refreshed) = try await fixture.rotate(grant, 0) else {
                throw TestFailure("not refreshed")
            }
            let expected: [String: JSON] = ["name": .string("Alice B."), "updated_at": .integer(1_767_323_045)]
            let standing = try #require(
                try await fixture.grants.standing(ofGrant: grant.id, withClaimsOf: ["openid", "email"]))
            for claims in [refreshed.claims, standing.claims] {
                let members = try #require(claims?.objectValue)
                #expect(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) }) == expected)
            }
        }
    }

    @Test("Where none were asked for, none are read, and the columns stay NULL")
    func none() async throws {
        try await StorageFixture.run { fixture in
            let grant = try await fixture.makeGrant()
            #expect(grant.idTokenClaims.isEmpty && grant.claims == nil)
            guard case .fresh(let refreshed) = try await fixture.rotate(grant, 0) else {
                throw TestFailure("not refreshed")
            }
            #expect(refreshed.idTokenClaims.isEmpty && refreshed.claims == nil)
            for scope in [nil, ["openid", "offline_access"]] as [[String]?] {
                let standing = try #require(try await fixture.grants.standing(ofGrant: grant.id, withClaimsOf: scope))
                #expect(standing.userInfoClaims.isEmpty && standing.claims == nil)
            }
            for table in ["grants", "authorization_codes"] {
                let rows = try await fixture.sql(
                    "SELECT userinfo_claims IS NULL AND id_token_claims IS NULL FROM \(table)")
                #expect(rows[0].bool(0), "\(table)")
            }
        }
    }

    @Test("A code that is saved again, unspent, stands for what is asked now")
    func savedAgain() async throws {
        try await StorageFixture.run { fixture in
            _ = try await fixture.saveCode(userInfoClaims: [.email], idTokenClaims: [.name])
            _ = try await fixture.saveCode(idTokenClaims: [.nickname])
            guard case .fresh(let grant) = try await fixture.redeem() else { throw TestFailure("not fresh") }
            #expect(grant.idTokenClaims == [.nickname])
            #expect(try await fixture.grants.standing(ofGrant: grant.id)?.userInfoClaims == [])
        }
    }
}
