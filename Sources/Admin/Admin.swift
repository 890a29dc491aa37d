import Administration
import Argon2
import FaultFinder
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
    private let changes: ChangeRunner
    let tokens: AdminTokenStore
    let tokenSecrets: AdminTokenSecrets
    let audit: AuditStore
    let masterKeys: MasterKeys
    let hasher: PasswordHasher
    let explainer: Explainer
    let now: Now
    /// Returns when every live node obeys what has been committed before.
    let settle: @Sendable () async -> Void

    public init(
        database: Database, audit: AuditStore, masterKeys: MasterKeys, hasher: PasswordHasher, explainer: Explainer,
        now: @escaping Now, settle: @escaping @Sendable () async -> Void
    ) {
        self.database = database
        self.audit = audit
        self.masterKeys = masterKeys
        self.hasher = hasher
        self.explainer = explainer
        self.now = now
        self.settle = settle
        changes = ChangeRunner(database: database)
        tokens = AdminTokenStore(database: database)
        tokenSecrets = AdminTokenSecrets(masterKeys)
    }

    public var routes: [Route] {
        selfRoutes + clientRoutes + secretRoutes + switchRoutes + accountRoutes + sessionRoutes + keyRoutes
            + auditRoutes
            + adminTokenRoutes + explainRoutes
    }

    /// What a handler works with: the request, and who it comes from.
    struct Call: Sendable {
        let request: Request
        let access: Access
        let token: AdminToken
        let query: Query
        let ifMatch: EntityTags?
        let ifNoneMatch: EntityTags?

        var administrator: Administrator {
            Administrator(actor: token.actor, origin: request.origin)
        }
        /// `?dry_run=true`: all is done and said, and rolled back.
        var isDryRun: Bool { query.isDryRun }

        func parameter(_ name: String) -> String { request.pathParameters[name] ?? "" }
    }

    /// A route that only looks.
    /// - Parameters:
    ///   - method: POST for what is too long or too secret for a URL.
    ///   - area: nil: for every live token.
    func read(
        method: Method = .get, _ path: String, _ area: AdminArea?,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        route(Access(method: method, path: path, area: area, isChange: false), handler)
    }

    /// A route that changes something: answered when every node obeys.
    func change(
        _ method: Method, _ path: String, _ area: AdminArea,
        _ handler: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        route(Access(method: method, path: path, area: area, isChange: true)) { call in
            let response = try await handler(call)
            if !call.isDryRun { await settle() }
            return response
        }
    }

    /// Makes changes in the name of the caller, in one transaction; a dry run rolls it back.
    @discardableResult
    func run<Value: Sendable>(_ call: Call, _ body: (Changes) async throws -> Value) async throws -> Value {
        try await changes.run(by: call.administrator, isDryRun: call.isDryRun, body)
    }

    private func route(
        _ access: Access, _ handler: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        Route(access.method, Self.base + access.path) { request in
            await answer(request) { try await handler(try await open(request, access)) }
        }
    }

    // MARK: Where nothing is

    /// Whether an unknown path would be one of ours. - Parameter path: below the issuer's.
    public static func covers(_ path: Substring) -> Bool { path == base || path.hasPrefix(base + "/") }

    /// Before any token is looked at: the paths are no secret, they stand in the description.
    public static func notFound(_ request: Request) -> Response {
        Problem(.notFound, "there is no such path; see \(base)/openapi.yaml").response(to: request)
    }

    /// The router adds what is allowed.
    public static func methodNotAllowed(_ request: Request) -> Response {
        Problem(.methodNotAllowed, "this path does not take \(request.method.name); Allow says what it takes")
            .response(to: request)
    }
}
