import ASCII
import HTTP
import OpenID

/// An authorization request as somebody has copied it: an absolute URL, path and query, or only the query.
struct AuthorizationText: Sendable {
    /// `scheme://host[:port]`; nil when it was not there.
    let origin: String?
    /// As sent; nil when only the query was there.
    let path: String?
    /// As sent.
    let query: String
    /// Whether something stood behind a `#`, which never leaves a browser.
    let hadFragment: Bool

    init(_ text: String) {
        var rest = Self.trimmed(text.utf8)
        let end = rest.firstIndex(of: UInt8(ascii: "#"))
        hadFragment = end != nil
        if let end { rest = rest[..<end] }

        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        let front = mark.map { rest[..<$0] } ?? rest
        if let slashes = Self.slashes(in: front) {
            let pathStart = front[slashes.upperBound...].firstIndex(of: UInt8(ascii: "/")) ?? front.endIndex
            origin = String(Substring(front[..<pathStart]))
            path = pathStart == front.endIndex ? "/" : String(Substring(front[pathStart...]))
        } else {
            origin = nil
            path = front.first == UInt8(ascii: "/") ? String(Substring(front)) : nil
        }
        if let mark, origin != nil || path != nil || mark == rest.startIndex {
            query = String(Substring(rest[rest.index(after: mark)...]))
        } else {
            // A "?" behind the first parameter is part of a value.
            query = origin != nil || path != nil ? "" : String(Substring(rest))
        }
    }

    private static func trimmed(_ text: String.UTF8View) -> Substring.UTF8View {
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        let head = text.drop(while: isBlank)
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return head }
        return head[...last]
    }

    /// The "://" behind a scheme; a parameter's value may hold one too.
    private static func slashes(in front: Substring.UTF8View) -> Range<Substring.Index>? {
        guard let colon = front.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isScheme = front[..<colon].allSatisfy { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
        guard isScheme, front[colon...].starts(with: "://".utf8) else { return nil }
        return colon..<front.index(colon, offsetBy: 3)
    }

    /// The request target that a browser would send.
    /// - Parameter defaultPath: stands in where only the query is known.
    func target(defaultPath: String) -> String {
        (path ?? defaultPath) + (query.isEmpty ? "" : "?" + query)
    }

    /// The name of the first parameter that cannot be read, as far as it is harmless to show.
    var unreadableName: String? {
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let isReadable =
                HTTPTarget.refusal(ofGET: "/?" + String(Substring(pair))) == nil
                && (try? Parameters(formEncoded: pair)) != nil
            guard !isReadable else { continue }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard name.count <= 64, name.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
            return String(Substring(name))
        }
        return nil
    }
}
