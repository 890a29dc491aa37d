/// An OAuth error: a code for programs, a description for the app's developer, a detail for our log only.
public struct OAuthError: Error, Sendable {
    public let code: ErrorCode
    /// Printable ASCII without `"` and `\` (RFC 6749 §4.1.2.1, §5.2); never an echo of what was sent.
    public let description: String
    /// For the log; holds no secret and nothing of the query.
    public let detail: String?
    /// The registered client that is told, for the log; nil while none is known.
    public private(set) var clientID: String?

    /// A character that may not stand in `description` becomes `'` (for `"`) or `?`: clients fail on such characters,
    /// so none may get out.
    public init(_ code: ErrorCode, _ description: String, detail: String? = nil) {
        self.code = code
        self.description = OAuthError.isDescription(description) ? description : OAuthError.legal(description)
        self.detail = detail
    }

    /// The same, with the registered client that is told.
    public func told(to clientID: String) -> OAuthError {
        var error = self
        error.clientID = clientID
        return error
    }

    static func isDescription(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    private static func legal(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "\"": "'"
            case "\\": "?"
            case " "..."~": Character(scalar)
            default: "?"
            }
        }
        return String(scalars)
    }
}
