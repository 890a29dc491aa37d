import Administration
import Argon2
import Demo
import JSON
import OpenID
import Postgres
import Storage

/// The demo app's registration and the demo person, for `dev` only: their password is known to everyone.
struct Demonstration: Sendable {
    static let clientID = "demo"
    static let username = "demo"
    static let password = "demo demo demo"

    let issuer: Issuer

    /// The app itself.
    var app: Demo {
        Demo(
            issuer: issuer.description, clientID: Self.clientID, username: Self.username, password: Self.password)
    }

    /// Puts both in place. Of a client that is there already only the address follows the issuer's; it, the switches and the
    /// person are otherwise left as somebody may have changed them.
    func install(on database: Database, by administrator: Administrator) async throws {
        let isFirst = try await ClientStore(database: database).find(Self.clientID) == nil
        let hasPerson = try await AccountStore(database: database).find(username: Self.username) != nil
        let hash = hasPerson ? nil : try await PasswordHasher(threads: 1).hash(Self.password)
        try await ChangeRunner(database: database).run(by: administrator) { changes in
            if isFirst {
                _ = try await changes.createClient(try ClientEntry(json: client))
                for feature in Self.switches where try await changes.switches()[feature] == .off {
                    try await changes.setSwitch(feature, to: .perClient)
                }
            } else {
                _ = try await changes.changeClient(Self.clientID) { json in
                    var entry = try ClientEntry(json: json, of: Self.clientID)
                    entry.metadata.redirectURIs = [app.redirectURI]
                    return entry
                }
            }
            if !hasPerson {
                _ = try await changes.createAccount(
                    AccountEntry(username: Self.username, claims: Self.claims), passwordHash: hash)
            }
        }
    }

    /// What a public client can use, to be looked at.
    private static let switches: [Switch] = [.userInfo, .revocation, .sessionContext]

    private var client: JSON {
        .object([
            .init("client_id", .string(Self.clientID)),
            .init("client_name", .string("Demo App")),
            .init("application_type", .string("web")),
            .init("token_endpoint_auth_method", .string("none")),
            .init("grant_types", .array([.string("authorization_code"), .string("refresh_token")])),
            .init("redirect_uris", .array([.string(app.redirectURI)])),
            .init("scope", .string(Demo.scope.joined(separator: " "))),
            .init("sign_in", .bool(true)),
            .init("switches", .object(Self.switches.map { .init($0.rawValue, .bool(true)) })),
        ])
    }

    private static let claims = JSON.object([
        .init("name", .string("Demo Person")), .init("given_name", .string("Demo")),
        .init("family_name", .string("Person")), .init("preferred_username", .string("demo")),
        .init("email", .string("demo@example.test")), .init("email_verified", .bool(true)),
        .init("locale", .string("en-GB")), .init("zoneinfo", .string("Europe/Helsinki")),
    ])
}
