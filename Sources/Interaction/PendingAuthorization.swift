import Issuance
import OpenID
import OpenSSL

/// A valid authorization request while its person is on our pages. It travels sealed in the URL and in the forms: no node
/// keeps it, and the back button, two tabs and a restart all work.
public struct PendingAuthorization: Sendable, Equatable {
    /// How long a page may stay open, seconds.
    public static let lifetime: Int64 = 24 * 3_600

    /// How long a sign-in counts as made for its request, seconds.
    public static let freshness: Int64 = 3_600

    /// In place of a browser, as long as none has shown the request: no cookie comes to this.
    public static let anyBrowser: [UInt8] = []

    /// Makes the code of this request: a form sent twice gives the same code.
    public let id: [UInt8]
    /// The browser that began it.
    public let browser: [UInt8]
    /// Unix seconds.
    public let startedAt: Int64
    public let request: AuthorizationRequest
    /// From a good id_token_hint, or the claims parameter: only this person will do (Core §3.1.2.1, §5.5.1).
    public let requiredSubject: String?
    /// The person asked for another account: signing in anew is needed.
    public var mustSignIn = false
    /// The session of the sign-in that was made for this request.
    public var signedInSession: Int64?
    /// The session that the person chose to go on with.
    public var chosenSession: Int64?
    /// The session whose person the consent page named.
    public var shownSession: Int64?

    public init(browser: [UInt8], startedAt: Int64, request: AuthorizationRequest, requiredSubject: String?) {
        id = randomBytes(16)
        self.browser = browser
        self.startedAt = startedAt
        self.request = request
        self.requiredSubject = requiredSubject
    }

    /// The same request, begun in that browser.
    public func bound(to browser: [UInt8]) -> PendingAuthorization {
        PendingAuthorization(
            browser: browser, startedAt: startedAt, request: request, requiredSubject: requiredSubject)
    }

    var target: AuthorizationTarget {
        AuthorizationTarget(redirectURI: request.redirectURI, state: request.state)
    }

    // MARK: Bytes for sealing

    var serialized: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(counted: id)
        bytes.append(counted: browser)
        bytes.append(bigEndian: startedAt)
        bytes.append(counted: request.serialized())
        bytes.append(counted: requiredSubject ?? "")
        bytes.append(bigEndian: mustSignIn ? 1 : 0)
        for session in [signedInSession, chosenSession, shownSession] { bytes.append(bigEndian: session ?? 0) }
        return bytes
    }

    init?(serialized: [UInt8]) {
        var reader = ByteReader(serialized)
        guard let id = reader.counted(), let browser = reader.counted(), let startedAt = reader.integer(),
            let request = reader.counted().flatMap(AuthorizationRequest.init(serialized:)),
            let subject = reader.string(), let mustSignIn = reader.integer(), let signedIn = reader.integer(),
            let chosen = reader.integer(), let shown = reader.integer(), reader.isAtEnd
        else { return nil }
        self.id = id
        self.browser = browser
        self.startedAt = startedAt
        self.request = request
        requiredSubject = subject.isEmpty ? nil : subject
        self.mustSignIn = mustSignIn == 1
        signedInSession = signedIn == 0 ? nil : signedIn
        chosenSession = chosen == 0 ? nil : chosen
        shownSession = shown == 0 ? nil : shown
    }
}
