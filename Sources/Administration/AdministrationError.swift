import OpenID
import Storage

/// Why a change was not made; nothing was changed then.
public enum AdministrationError: Error, Sendable, CustomStringConvertible {
    /// There is no such thing.
    case notFound(String)
    /// It cannot be done as things are: it exists already, or there are as many as there may be.
    case conflict(String)
    /// What was given breaks these rules; each names its field.
    case invalid([ClientMetadata.Problem])
    /// It is not, any more, what the caller took it for.
    case hasChanged

    public var description: String {
        switch self {
        case .notFound(let text), .conflict(let text): text
        case .invalid(let problems):
            problems.map { $0.field.isEmpty ? $0.reason : $0.description }.joined(separator: "\n")
        case .hasChanged: "it has been changed meanwhile"
        }
    }

    /// The broken rules; none unless it is `invalid`.
    var problems: [ClientMetadata.Problem] {
        if case .invalid(let problems) = self { problems } else { [] }
    }

    public static func noSuchClient(_ clientID: String) -> AdministrationError {
        .notFound("there is no client \(clientID)")
    }

    public static func noSuchAccount(_ name: AccountName) -> AdministrationError {
        switch name {
        case .subject(let text), .username(let text): .notFound("there is no account \(text)")
        }
    }

    static func invalid(_ field: String, _ reason: String) -> AdministrationError {
        .invalid([ClientMetadata.Problem(field: field, reason: reason)])
    }
}
