import ASCII

/// A scope that exists here, with the order and wording of the consent page.
public enum StandardScope: String, Sendable, CaseIterable {
    case openid, profile, email, address, phone
    case offlineAccess = "offline_access"

    /// Whether one of these lets an app know a claim about the person.
    public static func bringClaims(_ scope: [String]) -> Bool {
        scope.contains { name in
            switch StandardScope(rawValue: name) {
            case .profile, .email, .address, .phone: true
            case .openid, .offlineAccess, nil: false
            }
        }
    }
}

/// The `scope` parameter (RFC 6749 §3.3).
enum ScopeList {
    /// The tokens in the order sent, each once.
    /// - Throws: invalid_scope when a character may not stand in a scope.
    static func parse(_ text: String) throws(OAuthError) -> [String] {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || ASCII.isScopeCharacter($0) }) else {
            throw OAuthError(.invalidScope, "scope holds a character that RFC 6749 section 3.3 does not allow")
        }
        return text.spaceSeparated.withoutRepeats()
    }
}
