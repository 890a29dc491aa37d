import Administration
import Foundation
import JSON
import SeededRandom
import Testing

@testable import Provider

@Suite("Files for apply") struct ApplyFileTests {
    static func problems(_ text: String) -> [String] {
        do {
            _ = try ApplyFile.parse(try JSON(parsing: Array(text.utf8)), file: "f")
            return []
        } catch {
            return (error as? ApplyFile.Problems)?.all ?? ["\(error)"]
        }
    }

    @Test("Tests/Fixtures/first.json is accepted as it stands")
    func fixture() throws {
        let path = MigrationTests.folder.deletingLastPathComponent().appending(path: "Tests/Fixtures/first.json").path
        let file = try ApplyFile.read(path)
        let switches = try #require(file.switches)
        #expect(switches.map(\.feature.rawValue) == ["userinfo", "revocation", "session_context", "introspection"])
        #expect(switches.allSatisfy { $0.state == .perClient })
        let clients = try #require(file.clients)
        #expect(
            clients.map(\.metadata.clientID)
                == ["web1", "web2", "app1", "spa1", "own1", "off1", "conf1", "conf2", "api1"])
        #expect(clients.map { $0.secret != nil } == [true, true, false, false, true, true, true, true, true])
        #expect(clients.map(\.metadata.signIn) == [true, true, true, true, true, nil, true, true, nil])
        #expect(clients.allSatisfy { $0.isEnabled == nil })
        let accounts = try #require(file.accounts)
        #expect(accounts.map(\.username) == ["alice@example.test", "bob@example.test"])
        #expect(accounts.map(\.password) == ["correct horse battery staple", "tr0ub4dor and 3 more"])
        #expect(accounts.allSatisfy { $0.status == nil })
        #expect(accounts[0].claims["address"]?["country"]?.stringValue == "Finland")
        #expect(accounts[0].claims["password"] == nil)
        #expect(accounts[1].claims["email_verified"] == .bool(false))
    }

    @Test("every problem is told, with its place")
    func places() {
        let text = """
            {"switches": {"userinfo": "sometimes", "logout": "on"}, "colour": 1,
             "clients": [{"client_id": "a", "token_endpoint_auth_method": "none", "redirect_uris": ["https://a.example/cb"],
                          "client_name": "A", "sign_in": "yes"}, 7],
             "accounts": [{"name": "Nobody"}, {"username": "x", "password": "short", "shoe_size": 43}]}
            """
        let found = Self.problems(text)
        let places = [
            "switches.userinfo: must be", "switches.logout: there is no such switch", "colour: there is no such key",
            "clients[0] (a).sign_in: ", "clients[1]: must be an object", "accounts[0].username: must be set",
            "accounts[1] (x).password: must have at least 8", "accounts[1] (x).shoe_size: there is no such claim",
        ]
        for place in places { #expect(found.contains { $0.hasPrefix(place) }, "\(place)") }
        #expect(found.count == places.count)
    }

    @Test(
        "whether a client is enabled and how an account stands may be said, and only rightly",
        arguments: [
            (#""enabled": false"#, #""status": "disabled""#, []), (#""enabled": true"#, #""status": "active""#, []),
            (#""sign_in": false"#, #""status": "closed""#, []),
            (#""enabled": "no""#, #""status": "gone""#, ["clients[0] (a).enabled", "accounts[0] (b).status"]),
            (#""enabled": null"#, #""status": null"#, ["clients[0] (a).enabled", "accounts[0] (b).status"]),
            (
                #""enabled": 1, "colour": 1"#, #""status": "closed", "password": "long enough""#,
                ["clients[0] (a).enabled", "clients[0] (a).colour", "accounts[0] (b).password"]
            ),
        ])
    func standing(client: String, account: String, places: [String]) {
        let found = Self.problems(
            #"{"clients": [{"client_id": "a", \#(Self.publicClient), \#(client)}], "#
                + #""accounts": [{"username": "b", \#(account)}]}"#)
        #expect(found.map { String($0.prefix { $0 != ":" }) } == places)
    }

    @Test("what the file says nothing of is told from what it names none of")
    func sections() throws {
        let none = try ApplyFile.parse(.object([]), file: "f")
        #expect(none.switches == nil && none.clients == nil && none.accounts == nil)
        let empty = try ApplyFile.parse(
            .object([.init("switches", .object([])), .init("clients", .array([])), .init("accounts", .array([]))]),
            file: "f")
        #expect(empty.switches?.isEmpty == true && empty.clients?.isEmpty == true && empty.accounts?.isEmpty == true)
    }

    static let publicClient =
        #""client_name": "A", "token_endpoint_auth_method": "none", "redirect_uris": ["https://a.example/cb"]"#
    static let secretClient =
        #""client_name": "A", "token_endpoint_auth_method": "client_secret_basic", "redirect_uris": ["https://a.example/cb"]"#

    @Test(
        "a client's secret must be strong, and only for a client that can keep one",
        arguments: [
            (secretClient, String(repeating: "x", count: 31), false),
            (secretClient, String(repeating: "x", count: 32), true),
            (secretClient, String(repeating: "x", count: 256), true),
            (secretClient, String(repeating: "x", count: 257), false),
            (secretClient, String(repeating: "é", count: 32), false),
            (publicClient, String(repeating: "x", count: 43), false),
        ])
    func secrets(members: String, secret: String, isAccepted: Bool) {
        let found = Self.problems(#"{"clients": [{"client_id": "a", \#(members), "client_secret": "\#(secret)"}]}"#)
        #expect(found.isEmpty == isAccepted)
        #expect(found.allSatisfy { $0.hasPrefix("clients[0] (a).client_secret: ") && !$0.contains(secret) })
    }

    @Test("what occurs twice is refused")
    func repeats() {
        let client = #"{"client_id": "a", \#(Self.publicClient)}"#
        #expect(Self.problems(#"{"clients": [\#(client), \#(client)]}"#) == ["clients: client_id a occurs twice"])
        #expect(
            Self.problems(#"{"accounts": [{"username": "a"}, {"username": "a"}]}"#)
                == ["accounts: username a occurs twice"])
    }

    @Test("parts may be missing, but each must be of its kind")
    func kinds() {
        #expect(Self.problems("{}") == [])
        #expect(Self.problems("[]") == ["must be an object with switches, clients and accounts"])
        #expect(Self.problems(#"{"clients": {}}"#) == ["clients: must be a list"])
        #expect(Self.problems(#"{"accounts": null}"#) == ["accounts: must be a list"])
        #expect(Self.problems(#"{"switches": []}"#) == ["switches: must be an object"])
    }

    @Test(
        "claims have the types and shapes of Core §5.1",
        arguments: [
            (#""email": "a@b""#, true), (#""email": "ab""#, false), (#""email": "@b""#, false), (#""email": 1"#, false),
            (#""email": "a@b", "email_verified": true"#, true), (#""email_verified": true"#, false),
            (#""email": "a@b", "email_verified": "true""#, false), (#""name": """#, false), (#""name": null"#, false),
            (#""name": "a\nb""#, false), (#""sub": "1""#, false), (#""updated_at": 1"#, false),
            (#""birthdate": "1990-04-01""#, true), (#""birthdate": "1990""#, true),
            (#""birthdate": "0000-02-29""#, true),
            (#""birthdate": "1990-02-29""#, false), (#""birthdate": "1990-13-01""#, false),
            (#""birthdate": "1990-4-1""#, false), (#""birthdate": "90-04-01""#, false),
            (#""birthdate": "1990-04""#, false),
            (#""birthdate": "-""#, false), (#""birthdate": "1990-00-10""#, false),
            (#""birthdate": "1990-04-31""#, false),
            (#""locale": "en-GB""#, true), (#""locale": "en_GB""#, true), (#""locale": "e""#, false),
            (#""locale": "en-""#, false), (#""locale": "en GB""#, false),
            (#""picture": "https://a.example/b.png""#, true), (#""picture": "javascript:alert(1)""#, false),
            (#""picture": "https://""#, false), (#""picture": "https://a b""#, false),
            (#""website": "a.example""#, false),
            (#""address": {"country": "FI"}"#, true), (#""address": {"planet": "Earth"}"#, false),
            (#""address": "Helsinki""#, false), (#""address": {"formatted": "1\r\n2"}"#, true),
            (#""address": {"locality": "1\n2"}"#, false), (#""address": {"country": 358}"#, false),
            (#""phone_number_verified": false"#, false),
        ])
    func claims(members: String, isAccepted: Bool) {
        #expect(Self.problems(#"{"accounts": [{"username": "a", \#(members)}]}"#).isEmpty == isAccepted)
    }

    @Test(
        "usernames",
        arguments: [
            ("alice", true), ("Älä", true), ("a b", true), ("", false), (" a", false), ("a ", false), ("a\\tb", false),
            (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        ])
    func usernames(name: String, isAccepted: Bool) {
        #expect(Self.problems(#"{"accounts": [{"username": "\#(name)"}]}"#).isEmpty == isAccepted)
    }

    @Test(
        "passwords have 8 characters to 1,024 bytes",
        arguments: [
            ("1234567", false), ("12345678", true), ("ääääääää", true), ("äääääää", false),
            (String(repeating: "a", count: 1024), true), (String(repeating: "a", count: 1025), false),
            ("12345678\\u0000", false),
        ])
    func passwords(password: String, isAccepted: Bool) {
        let found = Self.problems(#"{"accounts": [{"username": "a", "password": "\#(password)"}]}"#)
        #expect(found.isEmpty == isAccepted)
    }

    @Test("what is no JSON is told with the file's name")
    func syntax() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "seleid-test-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(#"{"clients": [}"#.utf8).write(to: file)
        let error = #expect(throws: ApplyFile.Problems.self) { try ApplyFile.read(file.path) }
        #expect(error?.description.hasPrefix("\(file.path): this is not JSON: ") == true)
    }

    @Test("any mutation of a file is accepted or refused, and never traps")
    func mutations() throws {
        let path = MigrationTests.folder.deletingLastPathComponent().appending(path: "Tests/Fixtures/first.json").path
        let bytes = try Files.read(path, limit: 1 << 20)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<mutated.count, using: &generator)
                let byte = Array("{}[]\",:0txn \\u".utf8).randomElement(using: &generator) ?? 0
                if Bool.random(using: &generator) { mutated[place] = byte } else { mutated.remove(at: place) }
            }
            guard let json = try? JSON(parsing: mutated) else { continue }
            _ = try? ApplyFile.parse(json, file: "f")
        }
    }
}
