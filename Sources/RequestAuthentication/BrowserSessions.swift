import HTTP
import Issuance
import JOSE
import OpenID
import OpenSSL
import Storage

/// The two cookies of the sign-in pages: one says who is signed in, the other which browser this is.
///
/// The browser cookie binds a sealed authorization request to the browser that began it, so that nobody can have their own
/// sign-in finished in somebody else's browser (RFC 6749 §10.12).
public struct BrowserSessions: Sendable {
    /// Seconds that a sign-in lasts in a browser.
    public static let lifetime: Int64 = 30 * 24 * 3_600

    private let store: SessionStore
    private let sessionSecrets: LookupSecrets
    private let browserSecrets: LookupSecrets
    private let isSecure: Bool

    public init(store: SessionStore, masterKeys: MasterKeys, issuer: Issuer) {
        self.store = store
        sessionSecrets = LookupSecrets(masterKeys, purpose: "session cookie")
        browserSecrets = LookupSecrets(masterKeys, purpose: "browser cookie")
        isSecure = issuer.isSecure
    }

    // MARK: Who is signed in

    /// The live session of the request's browser, and what its person has granted to the client.
    public func current(
        _ request: Request, clientID: String
    ) async throws -> (session: BrowserSession, consentedScope: [String]?)? {
        guard let hash = sessionHash(request) else { return nil }
        return try await store.find(secretHash: hash, clientID: clientID)
    }

    /// Signs a person in, on record: a new cookie value in any case, which makes the former one dead.
    /// - Returns: the session, what its person has granted to the client, and the `Set-Cookie` value for the answer; nil
    ///   when the account has become another since it was read (disabled, or with another password).
    public func signIn(
        _ account: Account, acr: String, amr: [String], at authTime: Int64, clientID: String, request: Request
    ) async throws -> (session: BrowserSession, consentedScope: [String]?, cookie: String)? {
        let secret = sessionSecrets.make()
        guard
            let session = try await store.signIn(
                secretHash: secret.hash, formerSecretHash: sessionHash(request),
                newSID: Base64URL.encode(randomBytes(16)), account: account, authTime: authTime, acr: acr, amr: amr,
                lifetime: Self.lifetime, clientID: clientID, origin: request.origin)
        else { return nil }
        let consentedScope = try await store.find(secretHash: secret.hash, clientID: clientID)?.consentedScope
        return (session, consentedScope, setCookie(sessionCookie, secret.text, maxAge: Self.lifetime))
    }

    private func sessionHash(_ request: Request) -> [UInt8]? {
        request.cookie(sessionCookie).flatMap(sessionSecrets.hash)
    }

    // MARK: Which browser this is

    /// The request's browser, if it has its cookie.
    public func browser(_ request: Request) -> [UInt8]? { request.cookie(browserCookie).flatMap(browserSecrets.hash) }

    /// A new mark for a browser that has none, and its `Set-Cookie` value.
    public func markBrowser() -> (browser: [UInt8], cookie: String) {
        let secret = browserSecrets.make()
        return (secret.hash, setCookie(browserCookie, secret.text, maxAge: 400 * 24 * 3_600))
    }

    // MARK: Cookies

    // The prefix makes browsers insist on Secure, Path=/ and no Domain; over plain http they would refuse it.
    private var prefix: String { isSecure ? "__Host-" : "" }
    private var sessionCookie: String { prefix + "seleid_session" }
    private var browserCookie: String { prefix + "seleid_browser" }

    /// SameSite=Lax: apps send people here by links and redirects, which must find them signed in.
    private func setCookie(_ name: String, _ value: String, maxAge: Int64) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
