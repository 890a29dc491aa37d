import JSON
import OpenID
import Testing

@testable import Admin
@testable import Storage

@Suite("Who may do what") struct AccessTests {
    private func token(_ role: AdminRole, _ areas: [AdminArea]? = nil) -> AdminToken {
        AdminToken(
            id: 1, name: "t", role: role, areas: areas, createdAt: 0, createdBy: "", expiresAt: nil, lastUsedAt: nil,
            revokedAt: nil)
    }

    private func mayRead(_ token: AdminToken) -> Set<AdminArea> {
        Set(
            AdminArea.allCases.filter { Access(method: .get, path: "", area: $0, isChange: false).isGranted(to: token) }
        )
    }

    private func mayChange(_ token: AdminToken) -> Set<AdminArea> {
        Set(AdminArea.allCases.filter { Access(method: .put, path: "", area: $0, isChange: true).isGranted(to: token) })
    }

    @Test("an admin may all, an operator runs apps and people, an auditor looks; admin tokens are for admins")
    func roles() {
        let all = Set(AdminArea.allCases)
        #expect(mayRead(token(.admin)) == all)
        #expect(mayChange(token(.admin)) == all)
        #expect(mayRead(token(.operator)) == all.subtracting([.adminTokens]))
        #expect(mayChange(token(.operator)) == [.clients, .switches, .accounts, .sessions])
        #expect(mayRead(token(.auditor)) == all.subtracting([.adminTokens]))
        #expect(mayChange(token(.auditor)).isEmpty)
    }

    @Test("areas narrow what the role may, and never widen it", arguments: AdminRole.allCases) func areas(
        role: AdminRole
    ) {
        for area in AdminArea.allCases {
            #expect(mayRead(token(role, [area])) == mayRead(token(role)).intersection([area]))
            #expect(mayChange(token(role, [area])) == mayChange(token(role)).intersection([area]))
        }
        #expect(mayRead(token(role, [])).isEmpty)
    }

    @Test("what is of no area is for every live token") func noArea() {
        #expect(Access(method: .get, path: "", area: nil, isChange: false).isGranted(to: token(.auditor, [])))
    }

    @Test("a tag is of the content, in whatever order its members come") func entityTag() throws {
        func tag(_ text: String) throws -> String { Admin.entityTag(of: try JSON(parsing: Array(text.utf8))) }
        #expect(try tag(#"{"a":1,"b":{"c":2,"d":3}}"#) == tag(#"{"b":{"d":3,"c":2},"a":1}"#))
        #expect(try tag(#"{"a":1}"#) != tag(#"{"a":2}"#))
        #expect(try tag(#"{"a":[1,2]}"#) != tag(#"{"a":[2,1]}"#))
    }
}
