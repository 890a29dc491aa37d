import Administration
import JSON
import OpenID
import Storage

/// What `seleid apply` reads and `seleid export` writes: switches, clients and accounts as data.
///
/// Holding one proves that all of it passed the checks.
public struct ApplyFile: Sendable {
    public struct Client: Sendable {
        public var metadata: ClientMetadata
        /// In the clear, only in files written by hand.
        public var secret: String?
    }

    public struct Account: Sendable {
        public var username: String
        /// In the clear, only in files written by hand.
        public var password: String?
        /// Standard claims (Core §5.1).
        public var claims: JSON
    }

    public var switches: [(feature: Switch, state: Switch.State)] = []
    public var clients: [Client] = []
    public var accounts: [Account] = []

    /// Everything that is wrong with a file, each with its place, such as `clients[2].redirect_uris: …`.
    public struct Problems: Error, CustomStringConvertible, Sendable {
        public let file: String
        public let all: [String]
        public var description: String { all.map { "\(file): \($0)" }.joined(separator: "\n") }
    }

    /// Ten thousand clients or so; more belongs into several files.
    private static let sizeLimit = 64 << 20

    /// Reads and checks a file, or standard input for "-".
    /// - Throws: `SystemError` or `Problems`.
    public static func read(_ path: String) throws -> ApplyFile {
        let bytes = try Files.read(path, limit: sizeLimit)
        let name = path == "-" ? "standard input" : path
        do {
            return try parse(try JSON(parsing: bytes), file: name)
        } catch let error as JSON.SyntaxError {
            throw Problems(file: name, all: ["this is not JSON: \(error)"])
        }
    }

    /// - Parameter file: what problems call it.
    public static func parse(_ json: JSON, file name: String) throws(Problems) -> ApplyFile {
        var reader = Reader()
        let file = reader.read(json)
        guard reader.problems.isEmpty else { throw Problems(file: name, all: reader.problems) }
        return file
    }

    /// A shorter one could be guessed; ours have 43 characters. Only what RFC 6749 App. A.2 (VSCHAR) lets through.
    static func secretProblem(_ secret: String) -> String? {
        if !secret.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return "only printable ASCII is allowed" }
        if !(32...256).contains(secret.utf8.count) { return "must have 32 to 256 characters" }
        return nil
    }
}

private struct Reader {
    var problems: [String] = []

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
        refuseRepeats(file.clients.map(\.metadata.clientID), "clients", "client_id")
        refuseRepeats(file.accounts.map(\.username), "accounts", "username")
        return file
    }

    private mutating func refuseRepeats(_ names: [String], _ list: String, _ key: String) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted { problems.append("\(list): \(key) \(name) occurs twice") }
    }

    private mutating func list<Element>(
        _ json: JSON, _ path: String, _ element: (inout Reader, JSON, String) -> Element?
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
        let secretMember = json["client_secret"]
        let metadata: ClientMetadata
        switch ClientMetadata.validate(.object(members.filter { $0.name != "client_secret" })) {
        case .success(let valid): metadata = valid
        case .failure(let error):
            problems += error.all.map { "\(name).\($0.field): \($0.reason)" }
            return nil
        }
        guard let secretMember else { return ApplyFile.Client(metadata: metadata, secret: nil) }
        guard let secret = secretMember.stringValue else {
            problems.append("\(name).client_secret: must be a string")
            return nil
        }
        guard metadata.isConfidential else {
            problems.append("\(name).client_secret: a client with token_endpoint_auth_method none has no secret")
            return nil
        }
        if let problem = ApplyFile.secretProblem(secret) {
            problems.append("\(name).client_secret: \(problem)")
            return nil
        }
        return ApplyFile.Client(metadata: metadata, secret: secret)
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
        var password: String?
        if let member = json["password"] {
            password = member.stringValue
            let problem = password.map(AccountRules.passwordProblem) ?? "must be a string"
            if let problem { problems.append("\(name).password: \(problem)") }
        }
        let claims = JSON.object(members.filter { $0.name != "username" && $0.name != "password" })
        problems += AccountRules.claimProblems(claims).map { "\(name).\($0)" }
        guard problems.count == before, let username else { return nil }
        return ApplyFile.Account(username: username, password: password, claims: claims)
    }
}
