import Argon2
import Demo
import Issuance
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

    /// Puts both in place. The client follows the issuer's port; the person is left as it is when it exists.
    func install(on database: Database, masterKeys: MasterKeys) async throws {
        _ = try await ClientStore(database: database).put(try ClientMetadata.validate(client).get())
        let accounts = AccountStore(database: database)
        guard try await accounts.find(username: Self.username) == nil else { return }
        let hash = try await PasswordHasher(threads: 1).hash(Self.password)
        _ = try await accounts.put(username: Self.username, passwordHash: hash, claims: Self.claims)
    }

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
        ])
    }

    private static let claims = JSON.object([
        .init("name", .string("Demo Person")), .init("given_name", .string("Demo")),
        .init("family_name", .string("Person")), .init("preferred_username", .string("demo")),
        .init("email", .string("demo@example.test")), .init("email_verified", .bool(true)),
        .init("locale", .string("en-GB")), .init("zoneinfo", .string("Europe/Helsinki")),
    ])
}
