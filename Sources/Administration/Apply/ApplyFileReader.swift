import JSON
import OpenID
import Storage

/// Takes a file apart, and gathers what is wrong with it: after a problem it goes on, so that all come out at once.
struct ApplyFileReader {
    private(set) var problems: [String] = []

    mutating func read(_ json: JSON) -> ApplyFile {
        var file = ApplyFile()
        guard let members = json.objectValue else {
            problems.append("must be an object with switches, clients and accounts")
            return file
        }
        for member in members {
            switch member.name {
            case "switches": file.switches = switches(member.value)
            case "clients":
                file.clients = list(member.value, "clients") { reader, value, path in reader.client(value, path) }
            case "accounts":
                file.accounts = list(member.value, "accounts") { reader, value, path in reader.account(value, path) }
            default: problems.append("\(member.name): there is no such key (there are switches, clients, accounts)")
            }
        }
        refuseRepeats(file.clients?.map(\.metadata.clientID), "clients", "client_id")
        refuseRepeats(file.accounts?.map(\.username), "accounts", "username")
        return file
    }

    private mutating func refuseRepeats(_ names: [String]?, _ list: String, _ key: String) {
        var seen: Set<String> = []
        for name in names ?? [] where !seen.insert(name).inserted {
            problems.append("\(list): \(key) \(name) occurs twice")
        }
    }

    private mutating func list<Element>(
        _ json: JSON, _ path: String, _ element: (inout ApplyFileReader, JSON, String) -> Element?
    ) -> [Element] {
        guard let values = json.arrayValue else {
            problems.append("\(path): must be a list")
            return []
        }
        return values.enumerated().compactMap { index, value in element(&self, value, "\(path)[\(index)]") }
    }

    private mutating func switches(_ json: JSON) -> [(feature: Switch, state: Switch.State)] {
        guard let members = json.objectValue else {
            problems.append("switches: must be an object")
            return []
        }
        return members.compactMap { member in
            guard let feature = Switch(rawValue: member.name) else {
                let names = Switch.allCases.map(\.rawValue).joined(separator: ", ")
                problems.append("switches.\(member.name): there is no such switch (there are \(names))")
                return nil
            }
            guard let state = member.value.stringValue.flatMap(Switch.State.init(rawValue:)) else {
                problems.append("switches.\(member.name): must be \"off\", \"per_client\" or \"on\"")
                return nil
            }
            return (feature, state)
        }
    }

    private mutating func client(_ json: JSON, _ path: String) -> ApplyFile.Client? {
        guard let members = json.objectValue else {
            problems.append("\(path): must be an object")
            return nil
        }
        // A message tells the client by its name, too: nobody counts to the seventeenth entry.
        let name = json["client_id"]?.stringValue.map { "\(path) (\($0))" } ?? path
        let entry: ClientEntry
        do {
            entry = try ClientEntry(json: .object(members.filter { $0.name != "client_secret" }))
        } catch {
            problems += error.problems.map { "\(name).\($0.field): \($0.reason)" }
            return nil
        }
        let before = problems.count
        let secret = json["client_secret"].flatMap { check(secret: $0, of: entry.metadata, name) }
        guard problems.count == before else { return nil }
        return ApplyFile.Client(
            metadata: entry.metadata, isEnabled: json["enabled"] == nil ? nil : entry.isEnabled, secret: secret)
    }

    private mutating func check(secret json: JSON, of client: ClientMetadata, _ name: String) -> String? {
        let problem: String?
        if !client.isConfidential {
            problem = "a client with token_endpoint_auth_method none has no secret"
        } else {
            problem = json.stringValue.map(ApplyFile.secretProblem) ?? "must be a string"
        }
        if let problem { problems.append("\(name).client_secret: \(problem)") }
        return json.stringValue
    }

    private mutating func account(_ json: JSON, _ path: String) -> ApplyFile.Account? {
        guard let members = json.objectValue else {
            problems.append("\(path): must be an object")
            return nil
        }
        let username = json["username"]?.stringValue
        let name = username.map { "\(path) (\($0))" } ?? path
        let before = problems.count
        if let username {
            if let problem = AccountRules.usernameProblem(username) { problems.append("\(name).username: \(problem)") }
        } else {
            problems.append("\(name).username: must be set, and a string")
        }
        let password = json["password"].map { password in
            let problem = password.stringValue.map(AccountRules.passwordProblem) ?? "must be a string"
            if let problem { problems.append("\(name).password: \(problem)") }
            return password.stringValue ?? ""
        }
        let status = json["status"].map { $0.stringValue.flatMap(AccountStatus.init(rawValue:)) }
        if status == .some(nil) { problems.append("\(name).status: must be active, disabled or closed") }
        if password != nil, status == .closed {
            problems.append("\(name).password: nobody signs in to a closed account")
        }
        let claims = JSON.object(members.filter { !["username", "password", "status"].contains($0.name) })
        problems += AccountRules.claimProblems(claims).map { "\(name).\($0)" }
        guard problems.count == before, let username else { return nil }
        return ApplyFile.Account(username: username, claims: claims, status: status ?? nil, password: password)
    }
}
