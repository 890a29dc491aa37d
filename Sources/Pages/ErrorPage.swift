import HTTP

/// An error for the person in the browser, with what an app's developer needs below it.
public struct ErrorPage: Sendable {
    public enum Kind: Sendable, CaseIterable {
        /// The app sent a broken request (400).
        case badRequest
        /// Nothing is here (404).
        case notFound
        /// The form is from another browser or too old (400).
        case expired
        /// Cookies are off (400).
        case cookiesNeeded
        /// We cannot answer just now (503, with Retry-After).
        case unavailable
        /// Our fault (500).
        case failure
    }

    public var kind: Kind
    public var code: String?
    public var description: String?
    public var requestID: String

    /// - Parameters:
    ///   - code: the OAuth error code, if there is one.
    ///   - description: for the developer; never holds what the request sent.
    public init(_ kind: Kind, code: String? = nil, description: String? = nil, requestID: String) {
        self.kind = kind
        self.code = code
        self.description = description
        self.requestID = requestID
    }

    public func response(language: Language) -> Response {
        var response = page(Strings.of(language)).response(status: kind.status, language: language)
        if case .unavailable = kind { response.headers.set("Retry-After", "2") }
        return response
    }

    func page(_ strings: Strings) -> Page {
        let words = kind.words(strings)
        let rows = [(strings.errorCode, code), (strings.errorDescription, description), (strings.requestID, requestID)]
            .compactMap { label, value -> HTML? in
                value.map { "<dt>\(label)</dt><dd>\(printable($0, limit: 400))</dd>\n" }
            }
        return Page(
            title: words.title,
            main: """
                <h1>\(words.title)</h1>
                <p class="lead" role="alert">\(words.text)</p>
                <section class="details" aria-labelledby="details">
                <h2 id="details">\(strings.forDevelopers)</h2>
                <dl>
                \(rows)</dl>
                </section>
                """)
    }
}

extension ErrorPage.Kind {
    /// The HTTP status that goes with it.
    public var status: Int {
        switch self {
        case .badRequest, .expired, .cookiesNeeded: 400
        case .notFound: 404
        case .unavailable: 503
        case .failure: 500
        }
    }

    fileprivate func words(_ strings: Strings) -> Strings.ErrorStrings {
        switch self {
        case .badRequest: strings.badRequest
        case .notFound: strings.notFound
        case .expired: strings.expired
        case .cookiesNeeded: strings.cookiesNeeded
        case .unavailable: strings.unavailable
        case .failure: strings.failure
        }
    }
}
