import Administration
import HTTP
import JSON
import OpenID
import Storage

extension Admin {
    var sessionRoutes: [Route] {
        [
            read("/accounts/{sub}/sessions", .sessions, listSessions),
            change(.post, "/accounts/{sub}/end-sessions", .sessions, endSessions),
            read("/sessions/{sid}", .sessions, readSession),
            change(.delete, "/sessions/{sid}", .sessions, endSession),
            read("/accounts/{sub}/grants", .sessions, listGrantsOfAccount),
            read("/clients/{client_id}/grants", .sessions, listGrantsOfClient),
            read("/grants/{id}", .sessions, readGrant),
            change(.delete, "/grants/{id}", .sessions, endGrant),
            read("/accounts/{sub}/consents", .sessions, listConsentsOfAccount),
            read("/clients/{client_id}/consents", .sessions, listConsentsOfClient),
            change(.delete, "/accounts/{sub}/consents/{client_id}", .sessions, withdrawConsent),
        ]
    }

    private var sessions: SessionStore { SessionStore(database: database) }
    private var grants: GrantStore { GrantStore(database: database) }
    private var consents: ConsentStore { ConsentStore(database: database) }

    // MARK: Browser sessions

    private func listSessions(_ call: Call) async throws -> Response {
        try call.query.allow("state", "after", "limit")
        let (filter, before, limit) = (try call.query.standing(), try call.query.place(), try call.query.limit())
        let found = try await sessions.page(
            ofAccount: try await account(of: call).id, before: before, filter, limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json) { String($0.id) }
    }

    private func endSessions(_ call: Call) async throws -> Response {
        try call.query.allow()
        let ended = try await run(call) { changes in
            try await changes.endSessions(of: call.subject, if: call.precondition)
        }
        return .json(
            JSON.object([.init("sessions", .integer(ended.sessions)), .init("grants", .integer(ended.grants))])
                .serialized())
    }

    private func readSession(_ call: Call) async throws -> Response {
        try call.query.allow()
        guard let session = try await sessions.record(sid: call.parameter("sid")) else {
            throw AdministrationError.notFound("there is no session \(call.parameter("sid"))")
        }
        return call.resource(session.json)
    }

    private func endSession(_ call: Call) async throws -> Response {
        try call.query.allow()
        try await run(call) { changes in
            try await changes.endSession(call.parameter("sid"), if: call.precondition)
        }
        return call.done()
    }

    // MARK: Grants

    private func listGrantsOfAccount(_ call: Call) async throws -> Response {
        try call.query.allow("client_id", "state", "after", "limit")
        let accountID = try await account(of: call).id
        let clientID = call.query["client_id"]
        return try await listGrants(
            call, of: clientID.map { .both(accountID: accountID, clientID: $0) } ?? .account(accountID))
    }

    private func listGrantsOfClient(_ call: Call) async throws -> Response {
        try call.query.allow("sub", "state", "after", "limit")
        let clientID = try await client(of: call).metadata.clientID
        guard let subject = call.query["sub"] else { return try await listGrants(call, of: .client(clientID)) }
        // Of somebody who is not there, there is nothing: 0 is nobody's id.
        let accountID = try await AccountStore(database: database).find(.subject(subject))?.id ?? 0
        return try await listGrants(call, of: .both(accountID: accountID, clientID: clientID))
    }

    private func listGrants(_ call: Call, of owner: GrantOwner) async throws -> Response {
        let (filter, before, limit) = (try call.query.standing(), try call.query.place(), try call.query.limit())
        let found = try await grants.page(of: owner, before: before, filter, limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json) { String($0.id) }
    }

    private func readGrant(_ call: Call) async throws -> Response {
        try call.query.allow()
        let id = try call.identifier("id", of: "grant")
        guard let grant = try await grants.record(id) else {
            throw AdministrationError.notFound("there is no grant \(id)")
        }
        return call.resource(grant.json)
    }

    private func endGrant(_ call: Call) async throws -> Response {
        try call.query.allow()
        let id = try call.identifier("id", of: "grant")
        try await run(call) { changes in
            try await changes.endGrant(id, if: call.precondition)
        }
        return call.done()
    }

    // MARK: Consents

    private func listConsentsOfAccount(_ call: Call) async throws -> Response {
        try call.query.allow("after", "limit")
        let limit = try call.query.limit()
        let found = try await consents.page(
            ofAccount: try await account(of: call).id, after: call.query["after"] ?? "", limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json, place: \.clientID)
    }

    private func listConsentsOfClient(_ call: Call) async throws -> Response {
        try call.query.allow("after", "limit")
        let (after, limit) = (try call.query.place(), try call.query.limit())
        let found = try await consents.page(
            ofClient: try await client(of: call).metadata.clientID, after: after ?? 0, limit: limit + 1)
        return call.page(of: found, limit: limit, json: \.json) { String($0.accountID) }
    }

    private func withdrawConsent(_ call: Call) async throws -> Response {
        try call.query.allow()
        try await run(call) { changes in
            try await changes.withdrawConsent(
                of: call.subject, for: call.parameter("client_id"), if: call.precondition)
        }
        return call.done()
    }
}

extension Query {
    /// `state=live` (unless said) or `state=all`.
    fileprivate func standing() throws -> StandingFilter {
        guard let text = self["state"] else { return .live }
        guard let filter = StandingFilter(rawValue: text) else { throw Self.problem("state", "must be live or all") }
        return filter
    }

    /// The `next` of the page before, where that is a number.
    fileprivate func place() throws -> Int64? {
        try wholeNumber("after")
    }
}
