import HTTP

@testable import OpenID
@testable import Pages

/// Markup as attackers put it into names and parameters.
let hostileTexts = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' autofocus onfocus=alert(1) x='",
    "javascript:alert(1)",
    "</title></textarea></style><script>alert(1)</script>",
    "<!--", "]]>", "&lt;script&gt;", "&#x3c;b&#x3e;",
    "\u{0}<b>\u{1F}\u{7F}\u{9B}", "\r\nSet-Cookie: a=b\r\n", "{{7*7}}\\(1)",
    "\u{202E}nosj\u{2066}<b>", "",
]

let webApp = AppFace(
    name: "Acme Web", uri: "https://acme.example", policyURI: "https://acme.example/privacy",
    tosURI: "https://acme.example/terms?a=1&b=2", redirectURI: "https://app.acme.example/cb")
let nativeApp = AppFace(name: "Acme Mobile", redirectURI: "com.example.app:/seleid")

/// Every kind of page, with `text` in each place that takes text from outside.
func everyPage(_ text: String) -> [(name: String, response: @Sendable (Language) -> Response)] {
    let app = AppFace(name: text, uri: text, policyURI: text, tosURI: text, redirectURI: text)
    let face = AppFace(name: text, redirectURI: "com.example.app:/cb")
    let problems: [SignInPage.Problem?] = [
        nil, .wrongCredentials, .tooManyAttempts(seconds: 30), .busy,
    ]
    var pages: [(name: String, response: @Sendable (Language) -> Response)] = problems.map { problem in
        let page = SignInPage(app: app, action: text, request: text, username: text, problem: problem)
        return ("sign-in \(problem.map { "\($0)" } ?? "")", { page.response(language: $0) })
    }
    let account = AccountPage(app: app, action: text, request: text, accountName: text)
    pages.append(("account", { account.response(language: $0) }))
    for scopes in [[StandardScope.openid], StandardScope.allCases] {
        let consent = ConsentPage(app: app, action: text, request: text, accountName: text, scopes: scopes)
        pages.append(("consent \(scopes.count)", { consent.response(language: $0) }))
    }
    let back = ReturnPage(app: face, url: "com.example.app:/cb?code=1&state=\(text.utf8.count)")
    pages.append(("return", { back.response(language: $0) }))
    let hostileBack = ReturnPage(app: app, url: text)
    pages.append(("return refused", { hostileBack.response(language: $0) }))
    for kind in ErrorPage.Kind.allCases {
        let error = ErrorPage(kind, code: text, description: text, requestID: text)
        pages.append(("error \(kind)", { error.response(language: $0) }))
    }
    return pages
}

extension Response {
    var html: String { String(decoding: body, as: UTF8.self) }
}
