import Administration
import Argon2
import HTTP
import Issuance
import JSON
import OpenID
import Postgres
import Storage

/// The admin API, below `/admin/v1` (`Docs/openapi.yaml`). Who calls it holds an admin token.
public struct Admin: Sendable {
    static let base = "/admin/v1"

    let database: Database
    let changes: ChangeRunner
    let tokens: AdminTokenStore
    let tokenSecrets: AdminTokenSecrets
    let masterKeys: MasterKeys
    let hasher: PasswordHasher
    let now: Now
    /// Returns when every live node obeys what has been committed before.
    let settle: @Sendable () async -> Void

    public init(
        database: Database, masterKeys: MasterKeys, hasher: PasswordHasher, now: @escaping Now,
        settle: @escaping @Sendable () async -> Void
    ) {
        self.database = database
        self.masterKeys = masterKeys
        self.hasher = hasher
        self.now = now
        self.settle = settle
        changes = ChangeRunner(database: database)
        tokens = AdminTokenStore(database: database)
        tokenSecrets = AdminTokenSecrets(masterKeys)
    }

    public var routes: [Route] { clientRoutes + switchRoutes + accountRoutes + sessionRoutes }

    /// What a handler works with: the request, and who it comes from.
    struct Call: Sendable {
        let request: Request
        let token: AdminToken
        let query: Query

        var administrator: Administrator {
            Administrator(actor: .adminToken("\(token.id) \(token.name)"), origin: request.origin)
        }
        /// `?dry_run=true`: all is done and said, and rolled back.
        var isDryRun: Bool { query.isDryRun }

        func parameter(_ name: String) -> String { request.pathParameters[name] ?? "" }
    }

    /// A route that only looks.
    func read(
        _ path: String, _ area: AdminArea, _ handler: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        Route(.get, Self.base + path) { request in
            await answer(request) {
                let call = try await open(request, area) { $0.mayRead(area) }
                return try await handler(call)
            }
        }
    }

    /// A route that changes something: answered when every node obeys.
    func change(
        _ method: Method, _ path: String, _ area: AdminArea,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        Route(method, Self.base + path) { request in
            await answer(request) {
                let call = try await open(request, area) { $0.mayChange(area) }
                let response = try await handler(call)
                if !call.isDryRun { await settle() }
                return response
            }
        }
    }
}
