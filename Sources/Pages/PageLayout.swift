import HTTP
import Synchronization

/// Headers of every page: CSP (no script, no inline, nothing from elsewhere, frame-ancestors 'none'), X-Frame-Options,
/// Referrer-Policy: same-origin (no-referrer would make browsers send `Origin: null` with our own forms), nosniff, no-store.
///
/// Cross-Origin-Opener-Policy is left out on purpose: it would cut the tie between an app and its sign-in pop-up.
public struct PageLayout: Sendable {
    private static let configuredBasePath = Mutex("")

    /// Set once at start: the issuer's path ("" or "/t1"), put before the paths of assets.
    public static func configure(basePath: String) {
        configuredBasePath.withLock { $0 = basePath }
    }

    /// The headers of a page.
    ///
    /// - Parameters:
    ///   - contentSecurityPolicy: the whole policy of the page.
    ///   - language: of its text; `nil` when it is not said.
    public static func headers(contentSecurityPolicy: String, language: String?) -> Headers {
        var fields: [(name: String, value: String)] = [
            ("Content-Type", "text/html; charset=utf-8"),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", contentSecurityPolicy),
            ("X-Frame-Options", "DENY"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
        ]
        if let language { fields.append(("Content-Language", language)) }
        return Headers(fields)
    }

    /// A whole document around `main`, with the style sheet, the icon and the brand.
    ///
    /// - Parameters:
    ///   - head: what the page adds to the head.
    ///   - wide: for more than one form or message.
    public static func document(
        language: String, title: String, head: HTML = "", wide: Bool = false, main: HTML
    ) -> HTML {
        let base = configuredBasePath.withLock { $0 }
        return """
            <!DOCTYPE html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex, nofollow">
            <link rel="icon" type="image/svg+xml" href="\(base + Asset.icon.path)">
            <link rel="stylesheet" href="\(base + Asset.styleSheet.path)">
            \(head)</head>
            <body\(wide ? " class=\"wide\"" as HTML : "")>
            <main>
            <p class="brand"><img src="\(base + Asset.icon.path)" alt="" width="28" height="28">SeleID</p>
            \(main)
            </main>
            </body>
            </html>

            """
    }
}

/// A page before it becomes an answer.
struct Page {
    var title: String
    var head: HTML = ""
    var main: HTML
    var policy = ContentSecurityPolicy.page

    func html(_ language: Language) -> HTML {
        PageLayout.document(language: language.rawValue, title: title, head: head, main: main)
    }

    func response(status: Int, language: Language) -> Response {
        Response(
            status: status,
            headers: PageLayout.headers(contentSecurityPolicy: policy.rawValue, language: language.rawValue),
            body: Array(html(language).text.utf8))
    }
}

/// The account as pages show it: a disc with its first letter beside its name, and what the person signs in with, since
/// two accounts may have one name.
func accountChip(_ name: String, username: String?, label: HTML? = nil) -> HTML {
    let detail = username.flatMap { $0 == name ? nil : printable($0, limit: 120) }
    let name = printable(name, limit: 120)
    let letter = name.first.map { String($0).uppercased() } ?? "?"
    return """
        <div class="account"><span class="disc" aria-hidden="true">\(letter)</span>\
        <span class="who">\(label)<bdi>\(name)</bdi>\(detail.map { " <small><bdi>\($0)</bdi></small>" })</span></div>
        """
}
