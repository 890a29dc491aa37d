import Argon2
import HTTP
import Interaction
import JSON
import Pages
import Storage

extension SignIn {
    func showSignIn(_ visit: Visit) async throws -> Response {
        // Signed in meanwhile, in another tab: nothing is left to ask here.
        guard interactions.next(visit.pending, visit.client, visit.visitor) == .signIn else {
            return try await proceed(visit)
        }
        return signInPage(visit, username: visit.pending.request.loginHint ?? "")
    }

    func signIn(_ visit: Visit) async throws -> Response {
        if visit.parameters["decision"] == "cancel" { return try await cancel(visit, at: .signIn) }
        let username = visit.parameters["username"] ?? ""
        let password = visit.parameters["password"] ?? ""
        let guess = throttle.guess(
            username: try await accounts.canonical(username), address: visit.request.clientAddress)
        if let seconds = try await throttle.begin(guess) {
            visit.request.log(
                .warning, "sign_in.throttled", [.init("client_id", .string(visit.client.metadata.clientID))])
            // Not tried, so nothing has changed: like a refusal, it costs nothing to have more of them.
            try await audit.recordRefusal(
                attempt(.signInThrottled, at: try await accounts.find(username: username), visit))
            return signInPage(visit, status: 429, username: username, problem: .tooManyAttempts(seconds: seconds))
        }
        let account = try await accounts.find(username: username)
        let isRight: Bool
        do {
            // Also when there is no such account: the time must not tell.
            isRight = try await hasher.verify(password, against: account?.passwordHash)
        } catch {
            try await throttle.wasNotTried(guess)
            return signInPage(visit, status: 503, username: username, problem: .busy)
        }
        guard isRight, let account, account.status == .active, let response = try await signedIn(account, visit) else {
            // Counted first: if it cannot be recorded, the guess still counts, and the answer tells nothing.
            try await throttle.failed(guess)
            try await audit.record(
                attempt(.signInFailed, at: account, visit, reason: reason(account, passwordIsRight: isRight)))
            visit.request.log(
                .info, "sign_in.failed",
                [
                    .init("client_id", .string(visit.client.metadata.clientID)),
                    .init("address", .string(visit.request.clientAddress)),
                ])
            return signInPage(visit, username: username, problem: .wrongCredentials)
        }
        try await throttle.succeeded(guess)
        return response
    }

    /// An attempt by somebody who has not proven to be the account's person. What was typed as username is not kept: people
    /// type passwords there.
    private func attempt(
        _ kind: AuditEvent.Kind, at account: Account?, _ visit: Visit, reason: String? = nil
    ) -> AuditEvent {
        AuditEvent(
            kind, by: .anonymous, from: visit.request.origin, clientID: visit.client.metadata.clientID,
            subject: account?.subject, detail: reason.map { [.init("reason", .string($0))] } ?? [])
    }

    /// Why a sign-in failed, for the record; the person is told the same of all.
    private func reason(_ account: Account?, passwordIsRight: Bool) -> String {
        guard let account else { return "unknown_username" }
        guard passwordIsRight else { return "wrong_password" }
        return account.status == .active ? "account_changed" : "account_\(account.status.rawValue)"
    }

    /// nil when the account was disabled or got another password while this one was looked at.
    private func signedIn(_ account: Account, _ visit: Visit) async throws -> Response? {
        let clientID = visit.client.metadata.clientID
        guard
            let signIn = try await sessions.signIn(
                account, acr: Self.acr, amr: Self.amr, at: now(), clientID: clientID, request: visit.request)
        else { return nil }
        visit.request.log(
            .info, "sign_in.succeeded",
            [.init("client_id", .string(clientID)), .init("sub", .string(account.subject))])
        var pending = visit.pending
        pending.signedInSession = signIn.session.id
        let visitor = Visitor(session: signIn.session, consentedScope: signIn.consentedScope)
        let step = interactions.next(pending, visit.client, visitor)
        var response = try await interactions.take(step, pending, visit.client, visitor, visit.request)
        response.headers.add("Set-Cookie", signIn.cookie)
        return response
    }

    private func signInPage(
        _ visit: Visit, status: Int = 200, username: String, problem: SignInPage.Problem? = nil
    ) -> Response {
        SignInPage(
            app: visit.app, action: interactions.action(.signIn), request: interactions.seal(visit.pending),
            username: username, problem: problem
        ).response(status: status, language: visit.language)
    }
}
