/// A redirect URI proven to belong to the client, and the state to send back with it.
public struct AuthorizationTarget: Sendable, Equatable {
    public let redirectURI: String
    public let state: String?

    public init(redirectURI: String, state: String?) {
        self.redirectURI = redirectURI
        self.state = state
    }

    /// The redirect URI with the answer's parameters added to its query (an existing query is kept, RFC 6749 §3.1.2):
    /// the given ones, then `state` if there is one, and `iss` (RFC 9207 §2).
    ///
    /// The URI itself is not rewritten in any way. Everything outside the unreserved characters is percent-encoded
    /// UTF-8, so that form decoders and plain URI decoders read exactly what was given.
    public func url(answering parameters: [(String, String)], issuer: String) -> String {
        var all = parameters
        if let state { all.append(("state", state)) }
        all.append(("iss", issuer))
        return redirectURI + separator + Parameters.encode(all)
    }

    private var separator: String {
        guard redirectURI.utf8.contains(UInt8(ascii: "?")) else { return "?" }
        let last = redirectURI.utf8.last
        return last == UInt8(ascii: "?") || last == UInt8(ascii: "&") ? "" : "&"
    }
}
