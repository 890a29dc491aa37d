import HTTP
import Issuance
import OpenID
import OpenSSL
import Postgres
import Telemetry

/// Reads variables one by one and keeps every problem it meets. Values never go into a message: some are secrets, and
/// a connection string may hold a password.
struct EnvironmentReader {
    private let environment: [String: String]
    private(set) var problems: [String] = []

    init(_ environment: [String: String]) {
        self.environment = environment
        for name in environment.keys.sorted()
        where name.hasPrefix("SELEID_") && ConfigurationVariable(rawValue: name) == nil {
            let nearest = ConfigurationVariable.allCases.map(\.rawValue)
                .map { ($0, editDistance($0, name)) }.min { $0.1 < $1.1 }
            let hint = nearest.flatMap { $0.1 <= 3 ? "; did you mean \($0.0)?" : nil } ?? ""
            problems.append("\(name): there is no such setting\(hint)")
        }
    }

    mutating func problem(_ variable: ConfigurationVariable, _ reason: String) {
        problems.append("\(variable.rawValue): \(reason)")
    }

    /// The value; nil when unset or empty, as `docker compose` and shells leave variables that were given nothing.
    func value(_ variable: ConfigurationVariable) -> String? {
        guard let value = environment[variable.rawValue], !value.isEmpty else { return nil }
        return value
    }

    mutating func require(_ variable: ConfigurationVariable) -> String? {
        if let value = value(variable) { return value }
        problem(variable, "must be set")
        return nil
    }

    mutating func issuer() -> Issuer? {
        guard let text = require(.issuer) else { return nil }
        do {
            return try Issuer(text)
        } catch {
            problem(.issuer, error.description)
            return nil
        }
    }

    mutating func database() -> DatabaseConfiguration? {
        guard let text = require(.databaseURL) else { return nil }
        var configuration = DatabaseConfiguration(connectionString: text)
        // libpq takes a bare word as the name of a database, which is never what an operator meant here.
        let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        if !(isURI || text.contains("=")) || !configuration.hasValidConnectionString {
            problem(.databaseURL, "must be postgresql://… or a libpq connection string")
        }
        if let count = number(.sharedConnections, 1...16) { configuration.sharedConnections = count }
        if let count = number(.exclusiveConnections, 1...16) { configuration.exclusiveConnections = count }
        return configuration
    }

    mutating func masterKeys(isRequired: Bool) -> MasterKeys? {
        let variable: ConfigurationVariable
        let contents: String
        switch (value(.masterKeyFile), value(.masterKey)) {
        case (.some, .some):
            problem(.masterKey, "set this or SELEID_MASTER_KEY_FILE, not both")
            return nil
        case (nil, nil):
            if isRequired { problem(.masterKeyFile, "must be set (or SELEID_MASTER_KEY)") }
            return nil
        case (let path?, nil):
            variable = .masterKeyFile
            do {
                contents = try Files.readText(path, limit: 64 * 1024)
            } catch {
                problem(variable, error.description)
                return nil
            }
        case (nil, let keys?):
            variable = .masterKey
            contents = String(keys.map { $0 == "," ? "\n" : $0 })  // several keys on one line
        }
        do {
            return try MasterKeys(fileContents: contents)
        } catch {
            problem(variable, error.description)
            return nil
        }
    }

    mutating func tls() -> Configuration.TLSFiles? {
        switch (value(.tlsCertificate), value(.tlsKey)) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return Configuration.TLSFiles(
                certificate: certificate, privateKey: key, clientCertificates: clientCertificates())
        case (nil, .some):
            problem(.tlsCertificate, "must be set too when SELEID_TLS_KEY is")
            return nil
        case (.some, nil):
            problem(.tlsKey, "must be set too when SELEID_TLS_CERT is")
            return nil
        }
    }

    private mutating func clientCertificates() -> TLSContext.ClientCertificates {
        switch value(.tlsClientCertificates) {
        case nil, "ignore": return .notAsked
        case "ask": return .asked
        default:
            problem(.tlsClientCertificates, "must be ask or ignore")
            return .notAsked
        }
    }

    mutating func address() -> String? {
        guard let text = value(.listen) else { return nil }
        let colon = text.lastIndex(of: ":")
        var host = colon.map { String(text[..<$0]) } ?? ""
        let port = colon.map { text[text.index(after: $0)...] } ?? ""
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        let isAddress = IPNetwork(host) != nil && !host.contains("/") && host.contains(":") == isBracketed
        guard isAddress, UInt16(port) != nil, port.allSatisfy(\.isNumber) else {
            problem(.listen, "must be ADDRESS:PORT, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
            return nil
        }
        return text
    }

    mutating func networks() -> [IPNetwork] {
        guard let text = value(.trustedProxies) else { return [] }
        var networks: [IPNetwork] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let network = IPNetwork(trimmed(item)) else {
                problem(
                    .trustedProxies, "must be networks separated by commas, such as 10.0.0.0/8,fd00::/8 or 192.0.2.7")
                return []
            }
            networks.append(network)
        }
        return networks
    }

    mutating func number(_ variable: ConfigurationVariable, _ range: ClosedRange<Int>) -> Int? {
        guard let text = value(variable) else { return nil }
        guard let number = Int(text), range.contains(number), text.allSatisfy(\.isNumber) else {
            problem(variable, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func logLevel() -> Log.Level? {
        guard let text = value(.logLevel) else { return nil }
        guard let level = Log.Level(name: text) else {
            problem(.logLevel, "must be debug, info, warning or error")
            return nil
        }
        return level
    }
}
