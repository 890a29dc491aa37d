import Glibc
import HTTP
import OpenID
import Postgres
import Telemetry

extension Configuration {
    /// Reads and checks all `SELEID_…` variables.
    /// - Throws: `ConfigurationProblems` with every problem at once: unknown names, bad values, what is missing.
    public init(environment: [String: String]) throws(ConfigurationProblems) {
        var reader = EnvironmentReader(environment)
        let issuer = reader.issuer()
        let database = reader.database()
        let masterKeys = reader.masterKeys(isRequired: true)
        let tls = reader.tls()
        var server = ServerConfiguration()
        if let address = reader.address() { server.address = address }
        server.trustedProxies = reader.networks()
        let loops = reader.number(.loops, 1...256) ?? systemCores()
        let passwordThreads = reader.number(.passwordThreads, 1...64) ?? min(4, systemCores())
        let logLevel = reader.logLevel() ?? .info
        let drainSeconds = reader.number(.drainSeconds, 0...600) ?? 3
        if let issuer, tls != nil, !issuer.isSecure {
            reader.problem(.issuer, "must begin with https:// when SELEID_TLS_CERT is set")
        }
        guard let issuer, let database, let masterKeys, reader.problems.isEmpty else {
            throw ConfigurationProblems(all: reader.problems)
        }
        self.init(
            issuer: issuer, server: server, database: database, masterKeys: masterKeys, tls: tls, loops: loops,
            passwordThreads: passwordThreads, logLevel: logLevel, drainDelay: .seconds(drainSeconds))
    }
}

extension AdministrationConfiguration {
    /// Reads what the administration commands need. The rest of the environment is not judged, but for unknown names:
    /// `serve` says what else is wrong.
    public init(environment: [String: String]) throws(ConfigurationProblems) {
        var reader = EnvironmentReader(environment)
        let database = reader.database()
        let masterKeys = reader.masterKeys(isRequired: false)
        guard var database, reader.problems.isEmpty else { throw ConfigurationProblems(all: reader.problems) }
        database.sharedConnections = 1
        database.exclusiveConnections = 1
        // One person waits, and no request queues behind. (Migrations have no limit, and changes one of their own.)
        database.statementTimeout = .seconds(30)
        let issuer = reader.value(.issuer).flatMap { try? Issuer($0) }
        self.init(database: database, masterKeys: masterKeys, issuer: issuer)
    }
}

/// The variables there are.
public enum ConfigurationVariable: String, CaseIterable, Sendable {
    case issuer = "SELEID_ISSUER"
    case listen = "SELEID_LISTEN"
    case databaseURL = "SELEID_DATABASE_URL"
    case masterKeyFile = "SELEID_MASTER_KEY_FILE"
    case masterKey = "SELEID_MASTER_KEY"
    case tlsCertificate = "SELEID_TLS_CERT"
    case tlsKey = "SELEID_TLS_KEY"
    case tlsClientCertificates = "SELEID_TLS_CLIENT_CERTIFICATES"
    case trustedProxies = "SELEID_TRUSTED_PROXIES"
    case loops = "SELEID_LOOPS"
    case passwordThreads = "SELEID_PASSWORD_THREADS"
    case logLevel = "SELEID_LOG_LEVEL"
    case drainSeconds = "SELEID_DRAIN_SECONDS"
    case sharedConnections = "SELEID_DATABASE_SHARED_CONNECTIONS"
    case exclusiveConnections = "SELEID_DATABASE_EXCLUSIVE_CONNECTIONS"
}

func systemCores() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
