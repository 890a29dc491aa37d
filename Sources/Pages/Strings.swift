import OpenID

/// Every text of the pages in one language. A language is complete or does not compile: there is no fallback.
///
/// Closures put a name into a sentence; the name comes as markup, escaped before.
struct Strings: Sendable {
    typealias Sentence = @Sendable (HTML) -> HTML

    // Sign in
    let signInTitle: String
    let signInLead: Sentence
    let username: String
    let password: String
    let signIn: String
    let cancel: String
    let wrongCredentials: String
    /// Seconds to wait, at least 1.
    let tooManyAttempts: @Sendable (Int) -> String
    let busy: String

    // Account
    let accountTitle: String
    let accountLead: Sentence
    let continueWithAccount: String
    let useAnotherAccount: String

    // Consent
    let consentTitle: String
    let consentLead: Sentence
    let consentScopes: ScopeStrings
    let signedInAs: String
    let allow: String
    let deny: String
    /// The host the person goes back to.
    let returnsToPlace: Sentence
    let returnsToDevice: String
    let website: String
    let privacyPolicy: String
    let termsOfService: String
    let opensInNewTab: String

    // Return
    let returnTitle: String
    let returnLead: Sentence
    let openApp: Sentence

    // Errors
    let badRequest: ErrorStrings
    let notFound: ErrorStrings
    let expired: ErrorStrings
    let cookiesNeeded: ErrorStrings
    let unavailable: ErrorStrings
    let failure: ErrorStrings
    let forDevelopers: String
    let errorCode: String
    let errorDescription: String
    let requestID: String

    /// What each scope lets the app do, as the rest of "the app would like to: …".
    struct ScopeStrings: Sendable {
        /// When `openid` is all that is asked.
        let openidAlone: String
        let openid: String
        let profile: String
        let email: String
        let address: String
        let phone: String
        let offlineAccess: String
    }

    /// What happened, and what the person can do now.
    struct ErrorStrings: Sendable {
        let title: String
        let text: String
    }
}

extension Strings {
    static func of(_ language: Language) -> Strings {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        case .spanish: spanish
        case .finnish: finnish
        case .swedish: swedish
        }
    }
}

extension Strings.ScopeStrings {
    func text(_ scope: StandardScope, alone: Bool) -> String {
        switch scope {
        case .openid: alone ? openidAlone : openid
        case .profile: profile
        case .email: email
        case .address: address
        case .phone: phone
        case .offlineAccess: offlineAccess
        }
    }
}

/// A waiting time in the unit a person would use: whole seconds up to a minute, whole minutes above.
enum WaitingTime: Equatable {
    case seconds(Int)
    case minutes(Int)

    init(seconds: Int) {
        self = seconds <= 60 ? .seconds(max(1, seconds)) : .minutes(seconds / 60 + (seconds % 60 == 0 ? 0 : 1))
    }
}
