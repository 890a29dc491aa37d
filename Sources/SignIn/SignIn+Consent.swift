import HTTP
import Interaction
import JSON
import OpenID
import Pages
import Storage

extension SignIn {
    // MARK: Which account

    func showAccount(_ visit: Visit) async throws -> Response {
        guard let session = visit.visitor?.session,
            interactions.next(visit.pending, visit.client, visit.visitor) == .chooseAccount
        else { return try await proceed(visit) }
        var pending = visit.pending
        pending.shownSession = session.id
        return AccountPage(
            app: visit.app, action: interactions.action(.account), request: interactions.seal(pending),
            accountName: session.accountName, username: session.username
        ).response(language: visit.language)
    }

    func chooseAccount(_ visit: Visit) async throws -> Response {
        switch visit.parameters["decision"] {
        case "continue":
            var visit = visit
            // The account that the page named, not whoever is signed in by now.
            visit.pending.chosenSession = visit.pending.shownSession
            return try await proceed(visit)
        case "other": return try await switchAccount(visit)
        case "cancel": return try await cancel(visit, at: .account)
        default: return try await proceed(visit)
        }
    }

    // MARK: Consent

    func showConsent(_ visit: Visit) async throws -> Response {
        guard let session = visit.visitor?.session,
            case .consent(let scope) = interactions.next(visit.pending, visit.client, visit.visitor)
        else { return try await proceed(visit) }
        var pending = visit.pending
        pending.shownSession = session.id
        return ConsentPage(
            app: visit.app, action: interactions.action(.consent), request: interactions.seal(pending),
            accountName: session.accountName, username: session.username,
            scopes: scope.compactMap(StandardScope.init(rawValue:))
        ).response(language: visit.language)
    }

    func consent(_ visit: Visit) async throws -> Response {
        switch visit.parameters["decision"] {
        case "allow": return try await allow(visit)
        case "deny": return try await refuseConsent(visit)
        case "other": return try await switchAccount(visit)
        default: return try await proceed(visit)
        }
    }

    private func allow(_ visit: Visit) async throws -> Response {
        // Consent is the person's whom the page named. Somebody else by now, or nobody: ask again.
        guard let visitor = visit.visitor, visitor.session.id == visit.pending.shownSession else {
            return try await proceed(visit)
        }
        let step = interactions.next(visit.pending, visit.client, visitor, consentGiven: true)
        if case .grant(let granted, let claims) = step {
            let scope = Step.consentScope(granted, claims)
            let clientID = visit.client.metadata.clientID
            try await consents.add(
                scope, by: visitor.session, clientID: clientID, origin: visit.request.origin)
            visit.request.log(
                .info, "consent.granted",
                [
                    .init("client_id", .string(clientID)), .init("sub", .string(visitor.session.subject)),
                    .init("scope", .string(scope.joined(separator: " "))),
                ])
        }
        return try await interactions.take(step, visit.pending, visit.client, visitor, visit.request)
    }

    /// Nothing is stored of it but the record.
    private func refuseConsent(_ visit: Visit) async throws -> Response {
        // Only the person whom the page named can have said no; else the app is told so, and that is all we know.
        if let session = visit.visitor?.session, session.id == visit.pending.shownSession {
            let asked = Step.consentScope(visit.pending.request.scope, visit.pending.request.claims)
            try await audit.record(
                AuditEvent(
                    .consentDenied, by: .person(session.subject), from: visit.request.origin,
                    clientID: visit.client.metadata.clientID, subject: session.subject,
                    detail: [.init("scope", .string(asked.joined(separator: " ")))]))
        }
        return try await deny(visit)
    }
}
