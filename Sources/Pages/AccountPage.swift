import HTTP

/// Which account to go on with (prompt=select_account). Buttons `decision` = `continue` | `other`; hidden `request`.
public struct AccountPage: Sendable {
    public var app: AppFace
    public var action: String
    public var request: String
    public var accountName: String
    /// What the person signs in with; shown below a name that differs from it.
    public var username: String?

    public init(app: AppFace, action: String, request: String, accountName: String, username: String? = nil) {
        self.app = app
        self.action = action
        self.request = request
        self.accountName = accountName
        self.username = username
    }

    public func response(language: Language) -> Response {
        page(Strings.of(language)).response(status: 200, language: language)
    }

    func page(_ strings: Strings) -> Page {
        Page(
            title: "\(strings.accountTitle) – \(app.displayName)",
            main: """
                <h1>\(strings.accountTitle)</h1>
                <p class="lead">\(strings.accountLead(app.emphasized))</p>
                <form method="post" action="\(action)">
                <input type="hidden" name="request" value="\(request)">
                \(accountChip(accountName, username: username))
                <div class="actions">
                <button class="primary" type="submit" name="decision" value="continue" autofocus>\
                \(strings.continueWithAccount)</button>
                <button type="submit" name="decision" value="other">\(strings.useAnotherAccount)</button>
                </div>
                </form>
                """,
            policy: .form)
    }
}
