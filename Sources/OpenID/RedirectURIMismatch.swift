/// What makes a refused redirect URI differ from the registered one it was probably meant to be. Matching never uses
/// this: it only spares a developer the search for a slash. The URI that was sent is not repeated anywhere, since it
/// may hold what a query holds.
public struct RedirectURIMismatch: Sendable, Equatable {
    /// What differs: "a trailing slash".
    public let kind: String
    /// The registered one.
    public let registered: String

    /// For `error_description` on our page: the kind of difference only.
    var forDeveloper: String { "it differs from a registered one in \(kind)" }
    /// For the log: the registered URI too.
    var forLog: String { "redirect_uri differs in \(kind) from the registered \(registered)" }

    /// - Returns: nil when no registered one is near, or when it is not worth the work.
    public static func explain(_ sent: String, registered: [String]) -> RedirectURIMismatch? {
        guard sent.utf8.count <= RedirectURIRules.lengthLimit else { return nil }
        for (kind, view) in views {
            let seen = view(sent)
            if let candidate = registered.first(where: { view($0).isIdentical(to: seen) }) {
                return RedirectURIMismatch(kind: kind, registered: candidate)
            }
        }
        return nil
    }

    /// Each view takes one kind of difference away.
    private static let views: [(kind: String, view: @Sendable (String) -> String)] = [
        ("a trailing slash", { $0.utf8.last == UInt8(ascii: "/") ? String(Substring($0.utf8.dropLast())) : $0 }),
        ("upper and lower case", { $0.lowercased() }),
        ("a fragment", { text in String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })) }),
        ("its port", { withoutPort($0) }),
        (
            "http against https",
            { $0.utf8.starts(with: "http:".utf8) ? "https:" + Substring($0.utf8.dropFirst(5)) : $0 }
        ),
        ("percent-encoding", { (try? FormCoding.decode(Array($0.utf8)[...])) ?? $0 }),
        ("its query", { text in String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })) }),
    ]

    private static func withoutPort(_ text: String) -> String {
        guard let uri = try? AbsoluteURI(text), let authority = uri.authority else { return text }
        return "\(uri.scheme)://\(authority.host)\(uri.path)?\(uri.query ?? "")"
    }
}
