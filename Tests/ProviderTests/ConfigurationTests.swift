import Foundation
import HTTP
import Issuance
import Telemetry
import Testing

@testable import Provider

@Suite("Configuration from the environment") struct ConfigurationTests {
    static let masterKey = trimmed(MasterKeys.generateFile())

    /// The least that `serve` needs.
    static let least = [
        "SELEID_ISSUER": "https://id.example", "SELEID_DATABASE_URL": "postgresql://db.example/seleid",
        "SELEID_MASTER_KEY": masterKey,
    ]

    static func read(_ extra: [String: String?]) throws -> Configuration {
        var environment = least
        for (name, value) in extra { environment[name] = value }
        return try Configuration(environment: environment)
    }

    /// The problems with `extra` on top of the least.
    static func problems(_ extra: [String: String?]) -> [String] {
        do {
            _ = try read(extra)
            return []
        } catch {
            return (error as? ConfigurationProblems)?.all ?? ["\(error)"]
        }
    }

    @Test("the least there must be gives the defaults")
    func defaults() throws {
        let configuration = try Self.read([:])
        #expect(configuration.issuer.description == "https://id.example")
        #expect(configuration.server.address == "127.0.0.1:8080")
        #expect(configuration.database.connectionString == "postgresql://db.example/seleid")
        #expect(configuration.tls == nil)
        #expect(configuration.loops == systemCores())
        #expect(configuration.passwordThreads == min(4, systemCores()))
        #expect(configuration.logLevel == .info)
        #expect(configuration.drainDelay == .seconds(3))
    }

    @Test("each setting arrives where it belongs")
    func settings() throws {
        let configuration = try Self.read([
            "SELEID_LISTEN": "[::1]:9000", "SELEID_TRUSTED_PROXIES": "10.0.0.0/8, fd00::/8", "SELEID_LOOPS": "3",
            "SELEID_PASSWORD_THREADS": "1", "SELEID_LOG_LEVEL": "warning", "SELEID_DRAIN_SECONDS": "0",
            "SELEID_DATABASE_SHARED_CONNECTIONS": "4", "SELEID_DATABASE_EXCLUSIVE_CONNECTIONS": "2",
            "SELEID_TLS_CERT": "/c.pem", "SELEID_TLS_KEY": "/k.pem", "SELEID_TLS_CLIENT_CERTIFICATES": "ask",
        ])
        #expect(configuration.server.address == "[::1]:9000")
        #expect(configuration.server.trustedProxies == [IPNetwork("10.0.0.0/8"), IPNetwork("fd00::/8")])
        #expect(configuration.loops == 3)
        #expect(configuration.passwordThreads == 1)
        #expect(configuration.logLevel == .warning)
        #expect(configuration.drainDelay == .zero)
        #expect(configuration.database.sharedConnections == 4)
        #expect(configuration.database.exclusiveConnections == 2)
        #expect(
            configuration.tls
                == Configuration.TLSFiles(certificate: "/c.pem", privateKey: "/k.pem", clientCertificates: .asked))
    }

    @Test("an empty value is an unset one")
    func emptyIsUnset() throws {
        #expect(try Self.read(["SELEID_LOOPS": "", "SELEID_TLS_CERT": ""]).loops == systemCores())
        #expect(Self.problems(["SELEID_ISSUER": ""]) == ["SELEID_ISSUER: must be set"])
    }

    @Test(
        "a bad value stops with a message that names its variable",
        arguments: [
            ("SELEID_LISTEN", "8080"), ("SELEID_LISTEN", ":8080"), ("SELEID_LISTEN", "localhost:8080"),
            ("SELEID_LISTEN", "127.0.0.1"), ("SELEID_LISTEN", "127.0.0.1:65536"), ("SELEID_LISTEN", "127.0.0.1:-1"),
            ("SELEID_LISTEN", "127.0.0.1:+1"), ("SELEID_LISTEN", "::1:8080"), ("SELEID_LISTEN", "[127.0.0.1]:8080"),
            ("SELEID_LISTEN", "10.0.0.0/8:80"), ("SELEID_LISTEN", "[]:80"),
            ("SELEID_LOOPS", "0"), ("SELEID_LOOPS", "257"), ("SELEID_LOOPS", "two"), ("SELEID_LOOPS", "+2"),
            ("SELEID_LOOPS", " 2"), ("SELEID_PASSWORD_THREADS", "0"), ("SELEID_DRAIN_SECONDS", "-1"),
            ("SELEID_DRAIN_SECONDS", "601"), ("SELEID_DRAIN_SECONDS", "1.5"), ("SELEID_LOG_LEVEL", "verbose"),
            ("SELEID_TRUSTED_PROXIES", "10.0.0.0/33"), ("SELEID_TRUSTED_PROXIES", "10.0.0.0/8,"),
            ("SELEID_TRUSTED_PROXIES", "proxy.example"), ("SELEID_DATABASE_SHARED_CONNECTIONS", "0"),
            ("SELEID_DATABASE_EXCLUSIVE_CONNECTIONS", "17"), ("SELEID_DATABASE_URL", "seleid"),
            ("SELEID_DATABASE_URL", "hots=/tmp"), ("SELEID_DATABASE_URL", "postgresql://a:b:c@d/e?f"),
            ("SELEID_ISSUER", "id.example"), ("SELEID_ISSUER", "http://id.example"),
            ("SELEID_ISSUER", "https://id.example/"), ("SELEID_MASTER_KEY", "short"),
        ])
    func badValues(variable: String, value: String) {
        let problems = Self.problems([variable: value])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(variable): ") == true)
    }

    @Test("an unknown name stops, and the nearest one is offered")
    func unknownNames() {
        #expect(
            Self.problems(["SELEID_ISSUR": "x"])
                == ["SELEID_ISSUR: there is no such setting; did you mean SELEID_ISSUER?"])
        #expect(
            Self.problems(["SELEID_COLOUR_OF_PAGES": "red"]) == ["SELEID_COLOUR_OF_PAGES: there is no such setting"])
        #expect(Self.problems(["OTHER_SETTING": "x"]) == [])
    }

    @Test("all problems are told at once")
    func allAtOnce() {
        let environment = ["SELEID_LOOPS": "0", "SELEID_TLS_KEY": "/k.pem", "SELEID_X": "1"]
        let error = #expect(throws: ConfigurationProblems.self) { try Configuration(environment: environment) }
        #expect(
            error?.all.map { $0.split(separator: ":")[0] } == [
                "SELEID_X", "SELEID_ISSUER", "SELEID_DATABASE_URL", "SELEID_MASTER_KEY_FILE", "SELEID_TLS_CERT",
                "SELEID_LOOPS",
            ])
    }

    @Test("no message repeats a value, since some are secret")
    func valuesStayOut() {
        let secret = "hunter2-hunter2"
        for variable in ConfigurationVariable.allCases where variable != .masterKeyFile {
            let text = Self.problems([variable.rawValue: secret, "SELEID_BAD": secret]).joined()
            #expect(!text.contains(secret), "\(variable.rawValue)")
        }
    }

    @Test("the master key comes from a file or from the environment, never from both")
    func masterKeySources() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "seleid-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("# current\n\(Self.masterKey)\n".utf8).write(to: file)
        let path = file.path
        #expect(Self.problems(["SELEID_MASTER_KEY": nil, "SELEID_MASTER_KEY_FILE": path]) == [])
        #expect(
            Self.problems(["SELEID_MASTER_KEY_FILE": path])
                == ["SELEID_MASTER_KEY: set this or SELEID_MASTER_KEY_FILE, not both"])
        #expect(
            Self.problems(["SELEID_MASTER_KEY": nil, "SELEID_MASTER_KEY_FILE": "/nowhere/key"])
                == ["SELEID_MASTER_KEY_FILE: cannot read /nowhere/key: No such file or directory"])
        let two = "\(trimmed(MasterKeys.generateFile())),\(Self.masterKey)"
        #expect(Self.problems(["SELEID_MASTER_KEY": two]) == [])
    }

    @Test("TLS takes both files, and an issuer with https")
    func tlsNeedsBoth() {
        let missing = "must be set too when"
        #expect(Self.problems(["SELEID_TLS_CERT": "/c"]) == ["SELEID_TLS_KEY: \(missing) SELEID_TLS_CERT is"])
        #expect(Self.problems(["SELEID_TLS_KEY": "/k"]) == ["SELEID_TLS_CERT: \(missing) SELEID_TLS_KEY is"])
        #expect(
            Self.problems([
                "SELEID_TLS_CERT": "/c", "SELEID_TLS_KEY": "/k", "SELEID_ISSUER": "http://127.0.0.1:8080",
            ]) == ["SELEID_ISSUER: must begin with https:// when SELEID_TLS_CERT is set"])
    }

    @Test("administration needs the database only, and still refuses unknown names")
    func administration() throws {
        let configuration = try AdministrationConfiguration(environment: ["SELEID_DATABASE_URL": "host=/tmp"])
        #expect(configuration.masterKeys == nil)
        let error = #expect(throws: ConfigurationProblems.self) {
            try AdministrationConfiguration(environment: ["SELEID_DATABSE_URL": "host=/tmp"])
        }
        #expect(
            error?.all == [
                "SELEID_DATABSE_URL: there is no such setting; did you mean SELEID_DATABASE_URL?",
                "SELEID_DATABASE_URL: must be set",
            ])
    }

    @Test("Docs/configuration.md lists every variable")
    func documented() throws {
        let file = MigrationTests.folder.deletingLastPathComponent().appending(path: "Docs/configuration.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for variable in ConfigurationVariable.allCases { #expect(text.contains("| `\(variable.rawValue)` |")) }
    }

    @Test(
        "editDistance counts single-character changes",
        arguments: [("", "", 0), ("a", "", 1), ("", "abc", 3), ("client", "clint", 1), ("kitten", "sitting", 3)])
    func distances(a: String, b: String, distance: Int) {
        #expect(editDistance(a, b) == distance)
        #expect(editDistance(b, a) == distance)
    }
}
