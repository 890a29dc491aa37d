import HTTP

/// Username and password. Fields `username`, `password`, hidden `request`; the button `decision` = `cancel` goes back to
/// the app without signing in.
public struct SignInPage: Sendable {
    public enum Problem: Sendable, Equatable {
        case wrongCredentials
        /// Too many failures from here; seconds until the next try.
        case tooManyAttempts(seconds: Int)
        /// The hashing queue is full.
        case busy
    }

    public var app: AppFace
    /// Path (with issuer path) the form posts to.
    public var action: String
    /// The sealed authorization request, for the hidden field `request`.
    public var request: String
    /// Prefilled username.
    public var username: String
    public var problem: Problem?

    public init(app: AppFace, action: String, request: String, username: String = "", problem: Problem? = nil) {
        self.app = app
        self.action = action
        self.request = request
        self.username = username
        self.problem = problem
    }

    /// `Retry-After` is set with the problems that pass with time.
    public func response(status: Int = 200, language: Language) -> Response {
        var response = page(Strings.of(language)).response(status: status, language: language)
        switch problem {
        case .tooManyAttempts(let seconds): response.headers.set("Retry-After", String(max(1, seconds)))
        case .busy: response.headers.set("Retry-After", "2")
        case .wrongCredentials, nil: break
        }
        return response
    }

    func page(_ strings: Strings) -> Page {
        // The cursor stands where typing goes on. The sign-in button comes before cancel, because Enter in a field presses
        // the first button of the form.
        let focus: HTML = " autofocus"
        // Screen readers say the problem with the fields it is about.
        let described: HTML = problem == .wrongCredentials ? " aria-invalid=\"true\" aria-describedby=\"problem\"" : ""
        return Page(
            title: "\(strings.signInTitle) – \(app.displayName)",
            main: """
                <h1>\(strings.signInTitle)</h1>
                <p class="lead">\(strings.signInLead(app.emphasized))</p>
                \(problem.map { problemBox($0, strings) })\
                <form method="post" action="\(action)">
                <input type="hidden" name="request" value="\(request)">
                <label for="username">\(strings.username)</label>
                <input id="username" name="username" type="text" value="\(username)" autocomplete="username" \
                autocapitalize="none" autocorrect="off" spellcheck="false" dir="auto" required\
                \(username.isEmpty ? focus : nil)\(described)>
                <label for="password">\(strings.password)</label>
                <input id="password" name="password" type="password" autocomplete="current-password" required\
                \(username.isEmpty ? nil : focus)\(described)>
                <div class="actions">
                <button class="primary" type="submit">\(strings.signIn)</button>
                <button type="submit" name="decision" value="cancel" formnovalidate>\(strings.cancel)</button>
                </div>
                </form>
                \(app.links(strings))
                """,
            policy: .form)
    }

    private func problemBox(_ problem: Problem, _ strings: Strings) -> HTML {
        let text =
            switch problem {
            case .wrongCredentials: strings.wrongCredentials
            case .tooManyAttempts(let seconds): strings.tooManyAttempts(seconds)
            case .busy: strings.busy
            }
        return "<p class=\"problem\" id=\"problem\" role=\"alert\">\(text)</p>\n"
    }
}
