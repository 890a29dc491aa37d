import HTTP
import OpenID

/// What the app asks, in plain words. Buttons `decision` = `allow` | `deny`, hidden `request`; a third button
/// `decision` = `other` for another account.
public struct ConsentPage: Sendable {
    public var app: AppFace
    public var action: String
    public var request: String
    public var accountName: String
    /// What the person signs in with; shown below a name that differs from it.
    public var username: String?
    public var scopes: [StandardScope]

    public init(
        app: AppFace, action: String, request: String, accountName: String, username: String? = nil,
        scopes: [StandardScope]
    ) {
        self.app = app
        self.action = action
        self.request = request
        self.accountName = accountName
        self.username = username
        self.scopes = scopes
    }

    public func response(language: Language) -> Response {
        page(Strings.of(language)).response(status: 200, language: language)
    }

    func page(_ strings: Strings) -> Page {
        // In the order of the vocabulary, each once; `openid` is part of every request.
        let asked = StandardScope.allCases.filter { $0 == .openid || scopes.contains($0) }
        let list = asked.map { scope -> HTML in
            "<li>\(strings.consentScopes.text(scope, alone: asked.count == 1))</li>\n"
        }
        let label: HTML = "<small>\(strings.signedInAs)</small> "
        // No button has the focus at first: a key pressed for the page before must not allow anything.
        return Page(
            title: "\(strings.consentTitle) – \(app.displayName)",
            main: """
                <h1>\(strings.consentTitle)</h1>
                <form method="post" action="\(action)">
                <input type="hidden" name="request" value="\(request)">
                \(accountChip(accountName, username: username, label: label))
                <p class="asks" id="asks">\(strings.consentLead(app.emphasized))</p>
                <ul class="scopes" aria-labelledby="asks">
                \(list)</ul>
                <p class="note">\(destination(strings))</p>
                <div class="actions choice">
                <button class="primary" type="submit" name="decision" value="allow">\(strings.allow)</button>
                <button type="submit" name="decision" value="deny">\(strings.deny)</button>
                <button class="quiet" type="submit" name="decision" value="other">\(strings.useAnotherAccount)</button>
                </div>
                </form>
                \(app.links(strings))
                """,
            policy: .form)
    }

    /// Where the answer goes: an app may call itself anything, its address it cannot choose.
    private func destination(_ strings: Strings) -> HTML {
        guard let place = WebAddress(app.redirectURI)?.placeName else { return "\(strings.returnsToDevice)" }
        return strings.returnsToPlace("<strong>\(place)</strong>")
    }
}
