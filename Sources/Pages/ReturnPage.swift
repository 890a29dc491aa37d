import HTTP

/// The last step to an app with a private-use scheme: goes on by itself without script (meta refresh) and has a visible
/// button, for browsers that open an app only when the person asks for it.
public struct ReturnPage: Sendable {
    public var app: AppFace
    /// The app's redirect URI with the answer's parameters.
    public var url: String

    public init(app: AppFace, url: String) {
        self.app = app
        self.url = url
    }

    /// A page of status 500 without any link, if `url` does not begin with the app's redirect URI or cannot be an app's.
    public func response(language: Language) -> Response {
        guard let page = page(Strings.of(language)) else {
            return ErrorPage(.failure, requestID: "-").response(language: language)
        }
        return page.response(status: 200, language: language)
    }

    func page(_ strings: Strings) -> Page? {
        guard url.utf8.starts(with: app.redirectURI.utf8), let address = WebAddress(url), address.isAppTarget else {
            return nil
        }
        return Page(
            title: "\(strings.returnTitle) – \(app.displayName)",
            // A parsed address begins with its scheme, so nothing in it can end the URL part of this attribute early.
            head: "<meta http-equiv=\"refresh\" content=\"0;url=\(address.text)\">\n",
            main: """
                <h1>\(strings.returnTitle)</h1>
                <p class="lead">\(strings.returnLead(app.emphasized))</p>
                <div class="actions">
                <a class="button primary" href="\(address.text)" rel="noreferrer" autofocus>\
                <span>\(strings.openApp("<bdi>\(app.displayName)</bdi>"))</span></a>
                </div>
                """)
    }
}
