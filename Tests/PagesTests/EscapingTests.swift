import HTTP
import Testing

@testable import OpenID
@testable import Pages

@Suite("Escaping (RFC 6749 §10.14, B097)") struct EscapingTests {
    @Test("Each special character becomes its reference, forbidden control characters U+FFFD")
    func references() {
        #expect(escapeHTML("<a href=\"x\" title='&'>") == "&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;")
        #expect(escapeHTML("a\r\n\tb") == "a&#13;\n\tb")
        #expect(escapeHTML("\u{0}\u{1F}\u{7F}\u{80}\u{9F}") == String(repeating: "\u{FFFD}", count: 5))
        #expect(escapeHTML("\u{A0}é\u{1F600}") == "\u{A0}é\u{1F600}")
        // The scalars of one character are looked at one by one.
        #expect(escapeHTML("<\u{301}\"\u{20D2}") == "&lt;\u{301}&quot;\u{20D2}")
    }

    @Test("Markup comes from literals only; strings put into it are escaped, markup put into it is not")
    func interpolation() {
        let hostile = "<b a=\"1\">"
        let inner: HTML = "<i>\(hostile)</i>"
        let none: HTML? = nil
        let outer: HTML = "<p title=\"\(hostile)\">\(inner)\(none)\([inner, inner])</p>"
        let escaped = "&lt;b a=&quot;1&quot;&gt;"
        let italic = "<i>\(escaped)</i>"
        #expect(outer.text == "<p title=\"\(escaped)\">\(italic)\(italic)\(italic)</p>")
    }

    @Test("Hostile text in every field of every page adds no element and no attribute", arguments: hostileTexts)
    func hostile(text: String) throws {
        for (plain, attacked) in zip(everyPage("plain"), everyPage(text)) {
            let expected = try Markup(plain.response(.english).html).elements.map(Shape.init)
            let found = try Markup(attacked.response(.english).html).elements.map(Shape.init)
            #expect(found == expected, "\(attacked.name)")
        }
    }

    /// An element without the values of its attributes, and without where the focus goes (that depends on the username).
    struct Shape: Equatable {
        let name: String
        let attributes: Set<String>
        init(_ element: Markup.Element) {
            name = element.name
            attributes = Set(element.attributes.keys).subtracting(["autofocus"])
        }
    }

    @Test("What was typed and sealed comes back to the letter")
    func roundTrip() throws {
        for text in hostileTexts
        where !text.unicodeScalars.contains(where: { $0.value < 32 || (127..<160).contains($0.value) }) {
            let page = SignInPage(app: webApp, action: "/a?b=\(text)", request: text, username: text)
            let markup = try Markup(page.response(language: .english).html)
            let inputs = markup.all("input")
            #expect(inputs.first { $0.attributes["name"] == "username" }?.attributes["value"] == text)
            #expect(inputs.first { $0.attributes["name"] == "request" }?.attributes["value"] == text)
            #expect(markup.all("form").first?.attributes["action"] == "/a?b=\(text)")
        }
    }

    @Test(
        "An app's links are shown only when they are web addresses",
        arguments: [
            ("https://acme.example/p?a=1&b=2#c", true), ("http://acme.example", true), ("HTTPS://ACME.EXAMPLE/", true),
            ("javascript:alert(1)", false), ("JavaScript:alert(1)", false), ("java\nscript:alert(1)", false),
            (" javascript:alert(1)", false), ("data:text/html,x", false), ("vbscript:x", false),
            ("//evil.example", false),
            ("/relative", false), ("", false), ("https:", false), ("https://", false), ("https:///path", false),
            ("https://user@acme.example", false), ("https://acme.example\\@evil.example", false),
            ("https://acme.example/\"onclick=x", false), ("https://acme.example/<b>", false),
            ("com.example.app:/x", false), ("https://exa mple.org", false), ("mailto:a@b", false),
        ])
    func links(address: String, shown: Bool) throws {
        let app = AppFace(
            name: "A", uri: address, policyURI: address, tosURI: address, redirectURI: "https://a.example/cb")
        for response in [
            SignInPage(app: app, action: "/s", request: "r").response(language: .english),
            ConsentPage(app: app, action: "/s", request: "r", accountName: "a", scopes: [.openid]).response(
                language: .english),
        ] {
            let links = try Markup(response.html).all("a")
            #expect(links.map { $0.attributes["href"] } == Array(repeating: address, count: shown ? 3 : 0))
            #expect(links.allSatisfy { $0.attributes["rel"] == "noopener noreferrer" })
        }
    }

    @Test("Names stay on one line, without what turns the writing direction, and end at the limit")
    func printableNames() {
        #expect(printable("  a\r\n\tb\u{2028}c\u{A0} d ", limit: 80) == "a b c d")
        #expect(printable("a\u{202E}b\u{2066}c\u{200F}d\u{FEFF}", limit: 80) == "abcd")
        #expect(printable(String(repeating: "x", count: 80), limit: 80).count == 80)
        #expect(printable(String(repeating: "x", count: 81), limit: 80) == String(repeating: "x", count: 79) + "…")
        #expect(printable("a" + String(repeating: "\u{301}", count: 100_000), limit: 80).unicodeScalars.count == 320)
        #expect(AppFace(name: "\u{202E}", redirectURI: "https://app.example:8443/cb").displayName == "app.example:8443")
        #expect(AppFace(name: "", redirectURI: "com.example.app:/cb").displayName == "App")
    }
}
