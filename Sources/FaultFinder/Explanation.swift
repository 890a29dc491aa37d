import OpenID

/// What the server's rules say of one request, each with what is registered and what was sent. Holds no secret.
public struct Explanation: Sendable {
    public enum Subject: String, Sendable {
        case authorizationRequest = "authorization_request"
        case tokenRequest = "token_request"
    }

    /// What follows when no rule refuses the request.
    public enum Next: String, Sendable {
        /// The person is asked to sign in.
        case signInPage = "sign_in_page"
        /// prompt=none: the app gets an answer that depends on who is signed in.
        case answerWithoutPage = "answer_without_page"
        case tokens
    }

    public let subject: Subject
    /// In the order in which the server asks them. All that can be asked is asked, also behind the first that fails.
    public let checks: [Check]
    /// What no rule refuses, and is still worth knowing.
    public let notes: [String]
    public let next: Next

    /// The check that the server's answer comes from; nil when the request would be accepted.
    public var refused: (check: Check, refusal: Check.Refusal)? {
        for check in checks {
            if case .failed(let refusal) = check.outcome { return (check, refusal) }
        }
        return nil
    }
}

/// One rule, and what it says of a request.
public struct Check: Sendable {
    public enum Outcome: Sendable {
        case passed
        case failed(Refusal)
        /// It could not be asked because of what failed before.
        case skipped
        /// It depends on what is not in the request.
        case notKnown

        public var name: String {
            switch self {
            case .passed: "passed"
            case .failed: "failed"
            case .skipped: "skipped"
            case .notKnown: "not_known"
            }
        }
    }

    /// How the server answers when this is the first rule that fails.
    public struct Refusal: Sendable {
        public let place: Place
        /// Of HTTP; nil where that is a redirect.
        public let status: Int?
        /// nil where the app hears no OAuth error.
        public let error: OAuthError?
    }

    public enum Place: String, Sendable {
        /// Our HTTP reader or router: it does not come so far that OAuth matters.
        case http
        /// Our own page: the app hears nothing (RFC 6749 §4.1.2.1).
        case page
        case redirectURI = "redirect_uri"
        /// The answer of the token endpoint.
        case response
    }

    /// The parameter or property that it is about.
    public let rule: String
    /// Where it is written.
    public let section: String
    public let outcome: Outcome
    /// What is registered, stored, or demanded.
    public let registered: [String]
    /// nil: nothing was. Of a secret, its shape.
    public let sent: String?
    /// What is wrong with it, or worth knowing of it.
    public let finding: String?
    /// What to do, where something is wrong.
    public let advice: String?
}
