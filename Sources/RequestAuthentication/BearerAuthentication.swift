import HTTP
import Issuance
import OpenID
import Storage

/// A request that came with a good access token.
public struct BearerAccess: Sendable {
    public let token: AccessToken
    public let client: ClientRecord
    public let grant: GrantStanding
}

/// Checks access tokens at the endpoints that take them (RFC 6750): opens the seal, then asks how the grant stands. So
/// whatever ends a grant ends its access tokens at their next use, on every node.
public struct BearerAuthentication: Sendable {
    private let sealedTokens: SealedTokens
    private let directory: ClientDirectory
    private let clients: ClientStore
    private let grants: GrantStore
    private let now: Now

    public init(
        sealedTokens: SealedTokens, directory: ClientDirectory, clients: ClientStore, grants: GrantStore,
        now: @escaping Now
    ) {
        self.sealedTokens = sealedTokens
        self.directory = directory
        self.clients = clients
        self.grants = grants
        self.now = now
    }

    /// - Parameter withClaims: whether the person's claims are wanted too.
    /// - Throws: `BearerRefusal`, or what the database throws: what could not be asked is never a "no".
    public func authenticate(_ request: Request, withClaims: Bool = false) async throws -> BearerAccess {
        try await check(try BearerToken.text(of: request), withClaims: withClaims)
    }

    /// Checks an access token, wherever it comes from.
    ///
    /// That it has expired counts last: who was away for a while learns why the sign-in is over, not only that a few minutes
    /// are.
    /// - Throws: `BearerRefusal`, or what the database throws.
    public func check(_ text: String, withClaims: Bool = false) async throws -> BearerAccess {
        guard let token = sealedTokens.openAccessToken(text) else { throw BearerRefusal.unknownToken }
        let scope = withClaims ? token.scope : nil
        guard let grant = try await grants.standing(ofGrant: token.grantID, withClaimsOf: scope),
            grant.clientID == token.clientID,
            let client = try await directory.find(token.clientID, in: clients)
        else { throw BearerRefusal.unknownToken }
        if let end = grant.end { throw BearerRefusal.grantEnded(end, clientID: token.clientID) }
        guard client.isEnabled else {
            throw BearerRefusal.grantEnded(.ended(.clientDisabled), clientID: token.clientID)
        }
        guard token.epoch >= grant.accessEpoch else { throw BearerRefusal.tokenRevoked(clientID: token.clientID) }
        guard now() < token.expiresAt else { throw BearerRefusal.tokenExpired(clientID: token.clientID) }
        return BearerAccess(token: token, client: client, grant: grant)
    }
}

/// Where an access token stands in a request (RFC 6750 §2).
enum BearerToken {
    /// - Throws: `.missing` when there is none, `.malformed` when it is in the wrong place, or in two.
    static func text(of request: Request) throws(BearerRefusal) -> String {
        try refuseInQuery(request)
        let header = try headerToken(request)
        let body = try bodyToken(request)
        if header != nil, body != nil { throw .malformed("the access token must be sent in one place only") }
        guard let token = header ?? body else { throw .missing }
        return token
    }

    /// §2.3 is not offered: what stands in a URI stands in logs and histories.
    private static func refuseInQuery(_ request: Request) throws(BearerRefusal) {
        guard let query = request.query else { return }
        // What cannot be read may hold a token too.
        guard let parameters = try? Parameters(formEncoded: query.utf8) else {
            throw .malformed("the query of the URI cannot be read")
        }
        guard parameters["access_token"] == nil, !parameters.repeated.contains("access_token") else {
            throw .malformed("the access token must not be in the URI")
        }
    }

    /// §2.1. The scheme's name in any case.
    private static func headerToken(_ request: Request) throws(BearerRefusal) -> String? {
        let fields = request.headers.all("authorization")
        guard fields.count <= 1 else { throw .malformed("there is more than one Authorization header") }
        guard let field = fields.first else { return nil }
        let blank = UInt8(ascii: " ")
        let scheme = field.utf8.prefix { $0 != blank }
        guard Substring(scheme).lowercased() == "bearer" else { return nil }
        let token = field.utf8[scheme.endIndex...].drop { $0 == blank }
        guard !token.isEmpty, !token.contains(blank) else {
            throw .malformed("the Authorization header must be Bearer and one token")
        }
        return String(Substring(token))
    }

    /// §2.2: only in a form, and never with a GET.
    private static func bodyToken(_ request: Request) throws(BearerRefusal) -> String? {
        guard request.method == .post, request.mediaType == "application/x-www-form-urlencoded" else { return nil }
        guard let parameters = try? Parameters(formEncoded: request.body) else {
            throw .malformed("the form cannot be read")
        }
        guard !parameters.repeated.contains("access_token") else {
            throw .malformed("access_token must not be repeated")
        }
        return parameters["access_token"]
    }
}
