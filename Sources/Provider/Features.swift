import Authorize
import Discovery
import EventLoop
import HTTP
import Interaction
import Issuance
import JWKS
import OpenID
import Pages
import Postgres
import RequestAuthentication
import SignIn
import Storage
import Token

/// The one list of mounted features, made for each loop with that loop's database. Discovery is computed from it.
struct Features: Sendable {
    let routes: [Route]

    init(issuer: Issuer, node: Node, database: Database, loop: EventLoop) {
        let clients = ClientStore(database: database)
        let codes = AuthorizationCodeStore(database: database)
        let sealedTokens = SealedTokens(node.masterKeys)
        let sessions = BrowserSessions(
            store: SessionStore(database: database), masterKeys: node.masterKeys, issuer: issuer)
        let interactions = Interactions(issuer: issuer, codes: codes, masterKeys: node.masterKeys, now: node.now)

        let jwks = JWKS(issuer: issuer, keyRing: node.keyRing)
        let authorize = Authorize(
            issuer: issuer, directory: node.directory, clients: clients, sessions: sessions, interactions: interactions,
            keyRing: node.keyRing, now: node.now)
        let signIn = SignIn(
            issuer: issuer, directory: node.directory, clients: clients, accounts: AccountStore(database: database),
            consents: ConsentStore(database: database), sessions: sessions, interactions: interactions,
            hasher: node.hasher,
            throttle: SignInThrottle(store: SignInFailureStore(database: database), masterKeys: node.masterKeys),
            now: node.now)
        let token = Token(
            issuer: issuer,
            authentication: ClientAuthentication(
                directory: node.directory, store: clients, masterKeys: node.masterKeys),
            codes: codes, grants: GrantStore(database: database), masterKeys: node.masterKeys,
            sealedTokens: sealedTokens,
            tokens: TokenIssuer(
                issuer: issuer, keyRing: node.keyRing, sealedTokens: sealedTokens, loop: loop, now: node.now))
        let discovery = Discovery(
            issuer: issuer, metadata: authorize.metadata + token.metadata + jwks.metadata + signIn.metadata)

        let belowIssuer = jwks.routes + authorize.routes + signIn.routes + token.routes + discovery.routes
        routes =
            belowIssuer.map { $0.below(issuer.path) } + discovery.rootRoutes + Assets(basePath: issuer.path).routes
    }
}

extension Route {
    fileprivate func below(_ basePath: String) -> Route {
        var route = self
        route.path = basePath + route.path
        return route
    }
}
