import JSON
import OpenID
import Storage

/// An account as admins write it.
public struct AccountEntry: Sendable {
    public var username: String
    /// Standard claims (Core §5.1) as an object.
    public var claims: JSON
    public var status: AccountStatus

    public init(username: String, claims: JSON = .object([]), status: AccountStatus = .active) {
        self.username = username
        self.claims = claims
        self.status = status
    }

    /// Reads `username`, `claims` and `status`; whether they keep the rules is judged when the change is made.
    /// - Throws: `AdministrationError.invalid` with every problem.
    public init(json: JSON) throws(AdministrationError) {
        guard let members = json.objectValue else { throw .invalid("", "must be an object") }
        var problems: [ClientMetadata.Problem] = []
        for member in members where !["username", "claims", "status"].contains(member.name) {
            problems.append(.init(field: member.name, reason: "is unknown here"))
        }
        let username = json["username"]?.stringValue
        if username == nil { problems.append(.init(field: "username", reason: "must be set, and a string")) }
        let status = json["status"].map { $0.stringValue.flatMap(AccountStatus.init(rawValue:)) } ?? .active
        if status == nil { problems.append(.init(field: "status", reason: "must be active, disabled or closed")) }
        let claims = json["claims"] ?? .object([])
        if claims.objectValue == nil { problems.append(.init(field: "claims", reason: "must be an object")) }
        guard let username, let status, problems.isEmpty else { throw .invalid(problems) }
        self.init(username: username, claims: claims, status: status)
    }

    /// Reads what admins write about an account, which may be what they have read of it: what only the server sets is passed
    /// over, and it must not be about another account.
    public init(json: JSON, of account: Account) throws(AdministrationError) {
        guard let members = json.objectValue else { throw .invalid("", "must be an object") }
        if let subject = json["sub"], subject != .string(account.subject) {
            throw .invalid("sub", "cannot be changed: it must be \(account.subject) or left out")
        }
        let passedOver = ["sub", "has_password", "created_at", "updated_at"]
        try self.init(json: .object(members.filter { !passedOver.contains($0.name) }))
    }

    // MARK: Rules

    /// What breaks the rules. Of an account that is there, only what is changed: one from before a rule can still be disabled.
    func problems(besides before: AccountEntry?) -> [ClientMetadata.Problem] {
        var problems: [ClientMetadata.Problem] = []
        if before?.username.isIdentical(to: username) != true,
            let reason = AccountRules.usernameProblem(username)
        {
            problems.append(.init(field: "username", reason: reason))
        }
        if before.map({ hasSameText($0.claims, claims) }) != true {
            problems += AccountRules.claimProblems(claims).map { .init(field: "claims.\($0.field)", reason: $0.reason) }
        }
        if before == nil, status == .closed {
            problems.append(.init(field: "status", reason: "must be active or disabled: closing ends what there was"))
        }
        return problems
    }

    /// Who it is and what is said of them, each claim by itself, so that a record of a change names only those that changed.
    var data: JSON {
        .object(
            [.init("username", .string(username))]
                + (claims.objectValue ?? []).map { .init("claims.\($0.name)", $0.value) })
    }
}

extension Account {
    public var entry: AccountEntry { AccountEntry(username: username, claims: claims, status: status) }

    /// As admins read it: what `AccountEntry` has, and what the server adds.
    public var json: JSON {
        .object([
            .init("sub", .string(subject)), .init("username", .string(username)),
            .init("status", .string(status.rawValue)), .init("claims", canonical(claims)),
            .init("has_password", .bool(passwordHash != nil)), .init("created_at", .time(createdAt)),
            .init("updated_at", .time(updatedAt)),
        ])
    }
}
