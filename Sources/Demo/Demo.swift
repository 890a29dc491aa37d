import HTTP
import Pages

/// A small app that signs people in through our own endpoints: a relying party that runs in the browser alone.
///
/// Only for trying the provider out: its start page shows a person's password.
public struct Demo: Sendable {
    /// What the app's client has to have registered.
    public let redirectURI: String
    private let issuer: String
    private let clientID: String
    private let path: String
    private let username: String
    private let password: String
    private let assets: DemoAssets

    /// - Parameters:
    ///   - issuer: exactly as `iss` says it.
    ///   - clientID: a public client that may use `authorization_code` and `refresh_token` and the scopes of `scope`.
    ///   - path: where the app lives on the issuer's origin, e.g. `/demo`.
    ///   - username: a person who may sign in, for the start page.
    ///   - password: of that person.
    public init(issuer: String, clientID: String, path: String = "/demo", username: String, password: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.path = path
        self.username = username
        self.password = password
        redirectURI = Self.origin(of: issuer) + path + "/callback"
        assets = DemoAssets(path: path)
    }

    /// What the app asks for.
    public static let scope = ["openid", "profile", "email", "offline_access"]

    public var routes: [Route] {
        let (start, callback) = (respond(startPage), respond(callbackPage))
        return [
            Route(.get, path) { _ in start },
            Route(.get, path + "/callback") { _ in callback },
        ] + assets.all.map { $0.route(basePath: "") }
    }

    /// `scheme://host[:port]`.
    private static func origin(of issuer: String) -> String {
        guard let colon = issuer.firstIndex(of: ":") else { return issuer }
        let authority = issuer[colon...].dropFirst(3).prefix { $0 != "/" }
        return "\(issuer[..<colon])://\(authority)"
    }

    /// Unlike the provider's pages, this one runs scripts and talks to its own origin. Its script writes text only, never
    /// markup, and Trusted Types hold it to that.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"

    private func respond(_ page: HTML) -> Response {
        Response(
            status: 200, headers: PageLayout.headers(contentSecurityPolicy: Self.policy, language: "en"),
            body: Array(page.text.utf8))
    }

    private func document(title: String, main: HTML) -> HTML {
        PageLayout.document(
            language: "en", title: title,
            head: """
                <link rel="stylesheet" href="\(assets.styleSheet.path)">
                <script type="module" src="\(assets.app.path)"></script>

                """,
            wide: true,
            main: """
                <div id="demo" data-issuer="\(issuer)" data-client-id="\(clientID)" data-redirect-uri="\(redirectURI)" \
                data-start="\(path)" data-scope="\(Self.scope.joined(separator: " "))">
                \(main)
                </div>
                """)
    }

    private var startPage: HTML {
        document(
            title: "Demo app",
            main: """
                <h1>Demo app</h1>
                <p class="lead">This page is an ordinary app that lets people sign in with SeleID. It has no server of its
                own: it sends you to the sign-in page, gets a code back, exchanges it for tokens and checks the ID Token,
                all in your browser.</p>
                <noscript><p class="problem">This app is a script, so it needs JavaScript. The sign-in pages do not.</p></noscript>
                <p class="problem" id="problem" role="alert" hidden></p>
                <dl class="credentials">
                <div><dt>Username</dt><dd>\(username)</dd></div>
                <div><dt>Password</dt><dd>\(password)</dd></div>
                </dl>
                <div class="actions">
                <button class="primary" type="button" data-action="sign-in">Sign in</button>
                </div>
                <p class="note">Public client <code>\(clientID)</code>, authorization code flow with PKCE (S256),
                <code>state</code> and <code>nonce</code>. All of it is in
                <a href="\(assets.protocolScript.path)">one short script</a>.</p>
                """)
    }

    private var callbackPage: HTML {
        document(
            title: "Signing in – Demo app",
            main: """
                <h1 id="title">Signing in…</h1>
                <p class="lead" id="lead" role="status">The answer of the provider is being checked.</p>
                <noscript><p class="problem">This app is a script, so it needs JavaScript.</p></noscript>
                <p class="problem" id="problem" role="alert" hidden></p>
                <section id="claims-section" hidden aria-labelledby="claims-title">
                <h2 id="claims-title">Who you are: the claims of the ID Token</h2>
                <table><tbody id="claims"></tbody></table>
                <p class="note">Name, email address and the like do not stand in the ID Token: userinfo tells them to whoever
                holds the access token.</p>
                <div class="actions row">
                <button type="button" data-action="userinfo">Ask userinfo</button>
                </div>
                <ol class="log" id="userinfo" aria-live="polite"></ol>
                </section>
                <section id="tokens" hidden aria-labelledby="tokens-title">
                <h2 id="tokens-title">Keep the sign-in fresh</h2>
                <p class="note">Each refresh token works once and is replaced by the next. The provider keeps track of the
                whole family: a lost reply does no harm, a stolen token ends it.</p>
                <div class="actions row">
                <button class="primary" type="button" data-action="refresh">Refresh</button>
                <button type="button" data-action="retry">Send the old refresh token again</button>
                <button type="button" data-action="replay">Replay an older one</button>
                </div>
                <ol class="log" id="log" aria-live="polite"></ol>
                </section>
                <section id="answer-section" hidden aria-labelledby="answer-title">
                <h2 id="answer-title">The token answer</h2>
                <pre id="answer" tabindex="0" aria-labelledby="answer-title"></pre>
                </section>
                <section id="checks-section" hidden aria-labelledby="checks-title">
                <h2 id="checks-title">What this app has checked</h2>
                <ul class="checks" id="checks"></ul>
                </section>
                <section aria-labelledby="again-title">
                <h2 id="again-title">Once more</h2>
                <div class="actions row">
                <button type="button" data-action="sign-in">Sign in again</button>
                <button type="button" data-action="prompt-login">Ask again who I am (prompt=login)</button>
                <button class="quiet" type="button" data-action="forget">Forget the tokens</button>
                </div>
                </section>
                """)
    }
}
