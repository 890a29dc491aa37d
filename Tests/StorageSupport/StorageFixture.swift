import EventLoop
import JSON
import Migrations
import OpenID
import Postgres
import Storage
import Synchronization
import TestSupport

/// A migrated database of its own for a test, with one client and one person who is signed in and has consented.
public struct StorageFixture: Sendable {
    public let loop: EventLoop
    public let database: Database
    public let session: BrowserSession
    /// For sessions beside the client under test.
    public let connectionString: String

    public static let sessionHash: [UInt8] = [1, 2, 3]

    public static func client(_ id: String = "web1") throws -> ClientMetadata {
        try ClientMetadata.validate(
            .object([
                .init("client_id", .string(id)), .init("client_name", .string("Web")), .init("sign_in", .bool(true)),
                .init("redirect_uris", .array([.string("https://rp.example/cb")])),
                .init("token_endpoint_auth_method", .string("client_secret_basic")),
            ])
        ).get()
    }

    /// Runs `body` on a loop, with a database cloned from a migrated template.
    public static func run(
        connections: Int = 8, _ body: @escaping @Sendable (StorageFixture) async throws -> Void
    ) async throws {
        let cluster = PostgresCluster.shared
        let template = try await cluster.template("storage_tests") { connectionString in
            try await onLoop { loop in
                let database = Database(
                    loop: loop, configuration: DatabaseConfiguration(connectionString: connectionString))
                database.start()
                let migrations = EmbeddedMigrations.all.map {
                    Migration(number: $0.number, name: $0.name, sql: String(decoding: $0.sql, as: UTF8.self))
                }
                _ = try await Migrator(migrations: migrations).run(on: database)
                await database.close(limit: .seconds(2))
            }
        }
        let connectionString = cluster.connectionString(try cluster.makeDatabase(template: template))
        try await onLoop { loop in
            var configuration = DatabaseConfiguration(connectionString: connectionString)
            configuration.sharedConnections = connections
            // No test here is about time-outs, and many run side by side.
            configuration.acquireTimeout = .seconds(60)
            configuration.statementTimeout = .seconds(60)
            let database = Database(loop: loop, configuration: configuration)
            database.start()
            _ = try await ClientStore(database: database).put(try client())
            let account = try await AccountStore(database: database).create(
                username: "alice@example.test", passwordHash: "hash",
                claims: .object([.init("name", .string("Alice"))]), status: .active)
            guard let account,
                let session = try await SessionStore(database: database).signIn(
                    secretHash: sessionHash, formerSecretHash: nil, newSID: "sid", account: account,
                    authTime: 1_700_000_000, acr: "acr", amr: ["pwd"], lifetime: 3_600, clientID: "web1", origin: .none)
            else { throw TestFailure("the account of the fixture cannot sign in") }
            try await ConsentStore(database: database).add(
                ["openid"], by: session, clientID: "web1", origin: .none)
            try await body(
                StorageFixture(loop: loop, database: database, session: session, connectionString: connectionString))
            await database.close(limit: .seconds(2))
        }
    }

    public var codes: AuthorizationCodeStore { AuthorizationCodeStore(database: database) }
    public var grants: GrantStore { GrantStore(database: database) }

    /// One more person, who has no password.
    public func makeAccount(_ username: String) async throws -> Account {
        let made = try await AccountStore(database: database).create(
            username: username, passwordHash: nil, claims: .object([]), status: .active)
        guard let made else { throw TestFailure("there is an account \(username) already") }
        return made
    }

    public func sql(_ text: String) async throws -> Rows {
        try await database.query(Statement("test \(text.hashValue)", text))
    }

    public func saveCode(
        _ hash: [UInt8] = [9], challenge: String? = nil, lifetime: Int64 = 60, userInfoClaims: [StandardClaim] = [],
        idTokenClaims: [StandardClaim] = []
    ) async throws -> Bool {
        try await codes.save(
            AuthorizationCode(
                clientID: "web1", redirectURI: "https://rp.example/cb", scope: ["openid"], nonce: "n",
                codeChallenge: challenge, session: session, userInfoClaims: userInfoClaims,
                idTokenClaims: idTokenClaims), hash: hash, lifetime: lifetime, origin: .none)
    }

    /// - Parameter runner: a transaction; nil: the database.
    public func redeem(
        _ hash: [UInt8] = [9], clientID: String = "web1", redirectURI: String? = "https://rp.example/cb",
        challenge: String? = nil, redemption: [UInt8] = [], in runner: (any StatementRunner)? = nil
    ) async throws -> Redemption {
        try await AuthorizationCodeStore(database: runner ?? database).redeem(
            hash: hash, clientID: clientID, redirectURI: redirectURI, codeChallenge: challenge,
            redemption: redemption.isEmpty ? (0..<8).map { _ in UInt8.random(in: 0...255) } : redemption,
            idleLifetime: 100,
            lifetime: 1_000, origin: .none)
    }

    public func makeGrant() async throws -> Grant {
        _ = try await saveCode()
        guard case .fresh(let grant) = try await redeem() else { throw TestFailure("the code was not fresh") }
        return grant
    }

    public func liveGrants() async throws -> Int64 {
        try await sql("SELECT count(*) FROM grants WHERE ended_at IS NULL")[0].int(0)
    }

    public func liveSessions() async throws -> Int64 {
        try await sql("SELECT count(*) FROM browser_sessions WHERE ended_at IS NULL")[0].int(0)
    }

    /// Runs `first` in a transaction that is committed only when `second`, which begins after it, either waits for a lock
    /// or is over.
    public func overlap<First: Sendable, Second: Sendable>(
        _ first: @escaping @Sendable (Transaction) async throws -> First,
        _ second: @Sendable () async throws -> Second
    ) async throws -> (First, Second) {
        let isSecondsTurn = Flag()
        let isSecondOver = Flag()
        async let firstResult = database.transaction { transaction in
            defer { isSecondsTurn.raise() }
            let result = try await first(transaction)
            isSecondsTurn.raise()
            while try await !isSomebodyWaiting(), !isSecondOver.isRaised {
                try Task.checkCancellation()
                await loop.sleep(for: .milliseconds(2))
            }
            return result
        }
        while !isSecondsTurn.isRaised { await loop.sleep(for: .milliseconds(2)) }
        defer { isSecondOver.raise() }
        let secondResult = try await second()
        isSecondOver.raise()
        return (try await firstResult, secondResult)
    }

    private func isSomebodyWaiting() async throws -> Bool {
        try await sql(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
            """)[0].bool(0)
    }

    public func rotate(_ grant: Grant, _ generation: Int64, clientID: String = "web1", window: Int64 = 60) async throws
        -> Rotation
    {
        try await grants.rotate(
            grantID: grant.id, generation: generation, clientID: clientID, retryWindow: window, idleLifetime: 100,
            origin: .none)
    }
}

/// Raised once.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
}
