/// What one virtual user does over and over.
protocol Scenario: AnyObject {
    /// The first request of the user with this number.
    func begin(_ user: Int) -> [UInt8]
    /// Looks at an answer.
    /// - Returns: the next request, and whether a whole round has ended with this answer.
    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool)
}

/// The app that the load comes from, and the cookies of a browser that is signed in.
struct App {
    /// RFC 6749 §4.1.1; the PKCE pair is the one of RFC 7636 App. B.
    let authorize: [UInt8]
    private let redirectURI: String
    private let basicCredentials: String

    init(clientID: String, basicCredentials: String, redirectURI: String, cookies: String) {
        self.redirectURI = redirectURI.percentEncoded
        let query = [
            "client_id=\(clientID)", "redirect_uri=\(self.redirectURI)", "response_type=code",
            "scope=openid%20profile%20email", "state=load-generator-state", "nonce=load-generator-nonce",
            "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method=S256",
        ].joined(separator: "&")
        authorize = Array(
            "GET /authorize?\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookies)\r\n\r\n".utf8)
        self.basicCredentials = basicCredentials
    }

    /// A form of the app's, with its credentials.
    private func post(_ path: String, _ body: String) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic \(basicCredentials)\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }

    func redeem(_ location: ArraySlice<UInt8>) -> [UInt8] {
        guard let start = location.end(of: "code=") else { fail("no code came back") }
        let code = String(decoding: location[start...].prefix { $0 != UInt8(ascii: "&") }, as: UTF8.self)
        let body =
            "grant_type=authorization_code&code=\(code)&redirect_uri=\(redirectURI)"
            + "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        return post("/oauth/token", body)
    }

    func refresh(_ token: ArraySlice<UInt8>) -> [UInt8] {
        post("/oauth/token", "grant_type=refresh_token&refresh_token=\(String(decoding: token, as: UTF8.self))")
    }

    func introspect(_ token: String) -> [UInt8] { post("/oauth/introspect", "token=\(token)") }

    func revoke(_ token: String) -> [UInt8] { post("/oauth/revoke", "token=\(token)") }

    func get(_ path: String, bearer token: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }
}

/// Discovery, again and again.
final class DiscoveryScenario: Scenario {
    private let request = Array("GET /.well-known/openid-configuration HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)

    func begin(_ user: Int) -> [UInt8] { request }

    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool) {
        guard answer.status == 200 else { fail("discovery answered \(answer.status)") }
        return (request, true)
    }
}

/// A code flow with a live session: authorize, then token.
final class CodeScenario: Scenario {
    private let app: App

    init(_ app: App) { self.app = app }

    func begin(_ user: Int) -> [UInt8] { app.authorize }

    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool) {
        if let location = answer.header("\r\nLocation: ") { return (app.redeem(location), false) }
        guard answer.member("\"id_token\":\"") != nil else { fail("the code was answered \(answer.text)") }
        return (app.authorize, true)
    }
}

/// Each user signs in once and then rotates their own refresh token; every answer has a new ID Token.
final class RefreshScenario: Scenario {
    private let app: App
    private var tokens: [Int: ArraySlice<UInt8>] = [:]

    init(_ app: App) { self.app = app }

    func begin(_ user: Int) -> [UInt8] { app.authorize }

    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool) {
        if let location = answer.header("\r\nLocation: ") { return (app.redeem(location), false) }
        guard answer.member("\"id_token\":\"") != nil, let token = answer.member("\"refresh_token\":\"") else {
            fail("a refresh was answered \(answer.text)")
        }
        guard tokens.updateValue(token, forKey: user) != token else { fail("the refresh token was not rotated") }
        return (app.refresh(token), true)
    }
}

/// Each user signs in once, and then asks something with the access token again and again.
final class AccessTokenScenario: Scenario {
    private let app: App
    private let ask: (App, String) -> [UInt8]
    /// Begins a member of every good answer.
    private let sign: StaticString
    private var requests: [Int: [UInt8]] = [:]

    init(_ app: App, sign: StaticString, ask: @escaping (App, String) -> [UInt8]) {
        self.app = app
        self.sign = sign
        self.ask = ask
    }

    func begin(_ user: Int) -> [UInt8] { app.authorize }

    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool) {
        if let request = requests[user] {
            guard answer.status == 200, answer.member(sign) != nil else { fail("the answer was \(answer.text)") }
            return (request, true)
        }
        if let location = answer.header("\r\nLocation: ") { return (app.redeem(location), false) }
        guard let token = answer.member("\"access_token\":\"") else { fail("the code was answered \(answer.text)") }
        let request = ask(app, String(decoding: token, as: UTF8.self))
        requests[user] = request
        return (request, false)
    }
}

/// Each user refreshes and revokes the access token that came of it. What a revocation costs is the difference to refreshing.
final class RevocationScenario: Scenario {
    private let app: App
    private var refreshTokens: [Int: ArraySlice<UInt8>] = [:]

    init(_ app: App) { self.app = app }

    func begin(_ user: Int) -> [UInt8] { app.authorize }

    func next(_ user: Int, after answer: Answer) -> (request: [UInt8], endsRound: Bool) {
        if let location = answer.header("\r\nLocation: ") { return (app.redeem(location), false) }
        if let accessToken = answer.member("\"access_token\":\"") {
            refreshTokens[user] = answer.member("\"refresh_token\":\"")
            return (app.revoke(String(decoding: accessToken, as: UTF8.self)), false)
        }
        guard answer.status == 200, let token = refreshTokens[user] else {
            fail("a revocation was answered \(answer.text)")
        }
        return (app.refresh(token), true)
    }
}

extension String {
    var percentEncoded: String {
        utf8.map { byte in
            let isPlain =
                byte < 128 && (UnicodeScalar(byte).properties.isAlphabetic || "0123456789-._~".utf8.contains(byte))
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }
}
