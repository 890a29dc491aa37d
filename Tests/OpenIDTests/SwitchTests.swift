import JSON
import Testing

@testable import OpenID

@Suite("Switches") struct SwitchTests {
    private static func client(_ feature: Switch, _ setting: Bool?) throws -> ClientMetadata {
        var members: [JSON.Member] = [
            .init("client_id", .string("web1")), .init("client_name", .string("Web")),
            .init("redirect_uris", .array([.string("https://rp.example/cb")])),
        ]
        if let setting {
            members.append(
                feature == .signIn
                    ? .init("sign_in", .bool(setting))
                    : .init("switches", .object([.init(feature.rawValue, .bool(setting))])))
        }
        return try ClientMetadata.validate(.object(members)).get()
    }

    /// Global state, the client's own switch, and whether it may.
    private static let table: [(state: Switch.State, setting: Bool?, isAllowed: Bool)] = [
        (.off, nil, false), (.off, false, false), (.off, true, false),
        (.perClient, nil, false), (.perClient, false, false), (.perClient, true, true),
        (.on, nil, true), (.on, false, false), (.on, true, true),
    ]

    @Test("global state and the client's own switch", arguments: Switch.allCases, table)
    func allow(feature: Switch, row: (state: Switch.State, setting: Bool?, isAllowed: Bool)) throws {
        let client = try Self.client(feature, row.setting)
        #expect(client.setting(of: feature) == row.setting)
        // Whatever the others are.
        for others in Switch.State.allCases {
            var states = SwitchStates(Dictionary(uniqueKeysWithValues: Switch.allCases.map { ($0, others) }))
            states[feature] = row.state
            #expect(states.allow(feature, for: client) == row.isAllowed)
        }
    }

    @Test(
        "an endpoint that is off is not there; signing in always is", arguments: Switch.allCases, Switch.State.allCases)
    func mounted(feature: Switch, state: Switch.State) {
        #expect(SwitchStates([feature: state]).isMounted(feature) == (feature == .signIn || state != .off))
    }

    @Test("as long as nobody has set them: endpoints are off, signing in is each client's")
    func defaults() throws {
        let states = SwitchStates()
        for feature in Switch.allCases {
            #expect(states[feature] == (feature == .signIn ? .perClient : .off))
            #expect(!states.allow(feature, for: try Self.client(feature, nil)))
        }
    }

    @Test("a default that was set is the default", arguments: Switch.allCases)
    func setting(feature: Switch) {
        var states = SwitchStates()
        for state in Switch.State.allCases {
            states[feature] = state
            #expect(states[feature] == state)
            #expect(states == SwitchStates([feature: state]))
        }
        states[feature] = feature.defaultState
        #expect(states == SwitchStates())
    }

    @Test(
        "a refusal has the error of its endpoint, and names the switch",
        arguments: [
            (Switch.signIn, "sign_in", ErrorCode.unauthorizedClient), (.userInfo, "userinfo", .insufficientScope),
            (.revocation, "revocation", .unauthorizedClient), (.sessionContext, "session_context", .insufficientScope),
            (.introspection, "introspection", .unauthorizedClient),
        ])
    func refusal(feature: Switch, name: String, code: ErrorCode) {
        #expect(feature.rawValue == name)
        #expect(feature.refusal.code == code)
        #expect(feature.refusal.description.contains("switch \(name)"))
    }

    @Test("each feature is in the table above")
    func all() { #expect(Switch.allCases.count == 5) }
}
