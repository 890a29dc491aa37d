import Admin
import Authorize
import Discovery
import EventLoop
import FaultFinder
import HTTP
import Interaction
import Introspection
import Issuance
import JSON
import JWKS
import OpenID
import Pages
import Postgres
import RequestAuthentication
import Revocation
import SessionContext
import SignIn
import Storage
import Token
import UserInfo

/// The one list of mounted features, made for each loop with that loop's database. Discovery is computed from it and from
/// the switches.
struct Features: Sendable {
    let routes: [Route]

    /// What a feature adds to the server.
    fileprivate struct Mounted {
        var routes: [Route]
        /// What discovery says of it.
        var metadata: [JSON.Member] = []
        /// What takes it away; nil: it is always there.
        var switchedBy: Switch?
    }

    init(issuer: Issuer, node: Node, database: Database, loop: EventLoop) {
        let clients = ClientStore(database: database)
        let codes = AuthorizationCodeStore(database: database)
        let grants = GrantStore(database: database)
        let audit = AuditStore(database: database, limiter: node.auditLimiter)
        let sealedTokens = SealedTokens(node.masterKeys)
        let sessions = BrowserSessions(
            store: SessionStore(database: database), masterKeys: node.masterKeys, issuer: issuer)
        let interactions = Interactions(
            issuer: issuer, codes: codes, audit: audit, masterKeys: node.masterKeys, now: node.now)
        let switches = Switches(board: node.switchBoard, store: SwitchStore(database: database))
        let clientAuthentication = ClientAuthentication(
            directory: node.directory, store: clients, secretUse: node.secretUse, masterKeys: node.masterKeys,
            now: node.now)
        let bearerAuthentication = BearerAuthentication(
            sealedTokens: sealedTokens, directory: node.directory, clients: clients, grants: grants, now: node.now)

        let jwks = JWKS(issuer: issuer, keyRing: node.keyRing)
        let authorize = Authorize(
            issuer: issuer, directory: node.directory, clients: clients, sessions: sessions, interactions: interactions,
            switches: switches, keyRing: node.keyRing, now: node.now)
        let signIn = SignIn(
            issuer: issuer, directory: node.directory, clients: clients, accounts: AccountStore(database: database),
            consents: ConsentStore(database: database), audit: audit, sessions: sessions, interactions: interactions,
            switches: switches, hasher: node.hasher,
            throttle: SignInThrottle(store: SignInFailureStore(database: database), masterKeys: node.masterKeys),
            now: node.now)
        let tokens = TokenIssuer(
            issuer: issuer, keyRing: node.keyRing, sealedTokens: sealedTokens, loop: loop, now: node.now)
        let token = Token(
            issuer: issuer, authentication: clientAuthentication, switches: switches, codes: codes, grants: grants,
            audit: audit, masterKeys: node.masterKeys, sealedTokens: sealedTokens, tokens: tokens)
        let userInfo = UserInfo(
            issuer: issuer, authentication: bearerAuthentication, switches: switches, audit: audit, tokens: tokens)
        let revocation = Revocation(
            issuer: issuer, authentication: clientAuthentication, switches: switches, grants: grants, audit: audit,
            sealedTokens: sealedTokens)
        let sessionContext = SessionContext(
            issuer: issuer, authentication: bearerAuthentication, switches: switches, audit: audit)
        let introspection = Introspection(
            issuer: issuer, authentication: clientAuthentication, bearer: bearerAuthentication, switches: switches,
            grants: grants, audit: audit, sealedTokens: sealedTokens)

        let admin = Admin(
            database: database, audit: audit, masterKeys: node.masterKeys, hasher: node.hasher,
            explainer: Explainer(issuer: issuer, database: database, masterKeys: node.masterKeys, now: node.now),
            now: node.now, settle: { await node.barrier.settle(via: database, on: loop) })

        let mounted: [Mounted] = [
            Mounted(routes: authorize.routes, metadata: authorize.metadata),
            Mounted(routes: token.routes, metadata: token.metadata),
            Mounted(routes: jwks.routes, metadata: jwks.metadata),
            Mounted(routes: signIn.routes, metadata: signIn.metadata),
            Mounted(routes: userInfo.routes, metadata: userInfo.metadata, switchedBy: .userInfo),
            Mounted(routes: revocation.routes, metadata: revocation.metadata, switchedBy: .revocation),
            Mounted(routes: sessionContext.routes, metadata: sessionContext.metadata, switchedBy: .sessionContext),
            Mounted(routes: admin.routes),
            Mounted(routes: introspection.routes, metadata: introspection.metadata, switchedBy: .introspection),
        ]
        let discovery = Discovery(
            issuer: issuer, features: mounted.map { .init(metadata: $0.metadata, switchedBy: $0.switchedBy) },
            switches: switches, canAsk: { database.isConnected })

        let belowIssuer = mounted.flatMap { $0.gatedRoutes(switches) } + discovery.routes
        routes =
            belowIssuer.map { $0.below(issuer.path) } + discovery.rootRoutes + Assets(basePath: issuer.path).routes
    }
}

extension Features.Mounted {
    /// The routes, each there only while its switch is.
    fileprivate func gatedRoutes(_ switches: Switches) -> [Route] {
        guard let feature = switchedBy else { return routes }
        return routes.map { route in
            var route = route
            route.isThere = { try await switches.isMounted(feature) }
            return route
        }
    }
}

extension Route {
    fileprivate func below(_ basePath: String) -> Route {
        var route = self
        route.path = basePath + route.path
        return route
    }
}
