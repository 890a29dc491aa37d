/// Which URIs may be registered (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1 and §2.6).
enum RedirectURIRules {
    /// Generous, and still harmless in a Location header.
    static let lengthLimit = 2000
    static let countLimit = 100

    /// Schemes a browser acts on by itself. None has a dot, so the rule for private-use schemes refuses them too; they
    /// are named for the better message.
    private static let dangerousSchemes: Set<String> = [
        "javascript", "data", "file", "vbscript", "about", "blob", "filesystem", "intent", "view-source", "ws", "wss",
        "ftp", "mailto", "tel", "sms", "chrome", "content", "jar",
    ]

    /// Parameters of an authorization answer; a redirect URI that brought its own would make them ambiguous.
    static let answerParameters = [
        "code", "state", "iss", "error", "error_description", "error_uri", "response", "session_state", "id_token",
        "access_token",
    ]

    /// The reason why the URI cannot be registered, or nil if it can.
    static func reason(
        against text: String, applicationType: ApplicationType, reserved: [String] = answerParameters
    ) -> String? {
        guard text.utf8.count <= lengthLimit else { return "must not be longer than \(lengthLimit) bytes" }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { return "must not hold wildcards (*)" }
        let uri: AbsoluteURI
        do { uri = try AbsoluteURI(text) } catch { return error.reason }
        guard uri.fragment == nil else { return "must not have a fragment (#)" }
        guard !uri.hasDotSegments else { return "must not have . or .. segments in its path" }
        if let name = answerParameter(in: uri.query, among: reserved) {
            return "must not have a query parameter named \(name), which belongs to the answer"
        }
        return reason(againstSchemeOf: uri, applicationType: applicationType)
    }

    private static func reason(againstSchemeOf uri: AbsoluteURI, applicationType: ApplicationType) -> String? {
        let scheme = uri.scheme.lowercased()
        switch scheme {
        case "https", "http":
            // Browsers hand them on in lower case; matching is byte for byte.
            guard scheme == uri.scheme else { return "must have its scheme in lower case" }
            guard uri.authority != nil else { return "needs a host" }
            guard scheme == "https" || uri.isLoopback else {
                return "must be https; http is only for 127.0.0.1, [::1] and localhost"
            }
            return nil
        case _ where dangerousSchemes.contains(scheme):
            return "must not use the scheme \(scheme)"
        case _ where applicationType == .web:
            return "must be https (or http on a loopback host); private-use schemes are for native apps"
        case _ where !scheme.utf8.contains(UInt8(ascii: ".")):
            return "must have a dot in its private-use scheme: a reversed domain name (RFC 8252 section 7.1)"
        case _ where uri.authority == nil && !uri.path.utf8.starts(with: "/".utf8):
            return "must have a path that begins with a slash behind its private-use scheme"
        default:
            return nil
        }
    }

    private static func answerParameter(in query: String?, among reserved: [String]) -> String? {
        guard let query else { return nil }
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let encoded = Array(pair.prefix { $0 != UInt8(ascii: "=") })
            guard let name = try? FormCoding.decode(encoded[...]) else { continue }
            if let found = reserved.first(where: { $0.isIdentical(to: name) }) { return found }
        }
        return nil
    }

    /// The reason why the URI cannot be a link to a page about the app, or nil if it can.
    static func reason(againstLink text: String) -> String? {
        guard text.utf8.count <= lengthLimit else { return "must not be longer than \(lengthLimit) bytes" }
        let uri: AbsoluteURI
        do { uri = try AbsoluteURI(text) } catch { return error.reason }
        guard uri.authority != nil, uri.scheme == "https" || (uri.scheme == "http" && uri.isLoopback) else {
            return "must be https (or http on a loopback host)"
        }
        return nil
    }
}
