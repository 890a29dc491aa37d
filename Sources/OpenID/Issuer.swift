import ASCII

/// The issuer: https (http only on a loopback host), host, optional port and path, no query, fragment or closing slash
/// (Discovery §3, RFC 8414 §2).
///
/// Relying parties compare it as text, and their URL libraries rewrite upper-case hosts, default ports and dot
/// segments; an issuer that one of them would rewrite is refused, since sign-in would fail at every such app.
public struct Issuer: Sendable, Equatable, CustomStringConvertible {
    /// Exactly as `iss` says it.
    public let description: String
    /// "" or "/t1".
    public let path: String
    /// scheme://host[:port]
    public let origin: String
    /// Whether it is https.
    public let isSecure: Bool

    /// What is wrong, in words for an operator.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// - Throws: what is wrong, in words for an operator.
    public init(_ text: String) throws(Problem) {
        func refuse(_ reason: String) -> Problem { Problem(description: "the issuer \(reason)") }
        guard text.utf8.count <= 255 else { throw refuse("must not be longer than 255 characters") }
        let uri: AbsoluteURI
        do { uri = try AbsoluteURI(text) } catch { throw refuse(error.reason) }
        guard uri.scheme == "https" || uri.scheme == "http" else { throw refuse("must begin with https://") }
        guard let authority = uri.authority else { throw refuse("needs a host") }
        guard uri.scheme == "https" || uri.isLoopback else {
            throw refuse("must be https; http is only for 127.0.0.1, [::1] and localhost")
        }
        guard !authority.host.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
            throw refuse("must have its host in lower case")
        }
        guard authority.port != (uri.scheme == "https" ? 443 : 80) else {
            throw refuse("must leave out the default port")
        }
        guard uri.query == nil else { throw refuse("must not have a query") }
        guard uri.fragment == nil else { throw refuse("must not have a fragment") }
        guard !uri.path.utf8.reversed().starts(with: "/".utf8) else { throw refuse("must not end with a slash") }
        guard uri.path.utf8.allSatisfy({ ASCII.isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
            throw refuse("must have only letters, digits, - . _ ~ and / in its path")
        }
        let segments = uri.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        guard segments.allSatisfy({ !$0.isEmpty }), !uri.hasDotSegments else {
            throw refuse("must not have empty, . or .. segments in its path")
        }
        description = text
        path = uri.path
        origin = String(decoding: text.utf8.dropLast(uri.path.utf8.count), as: UTF8.self)
        isSecure = uri.scheme == "https"
    }

    /// The issuer with `path` ("/authorize") behind it.
    public func url(_ path: String) -> String {
        description + path
    }
}
