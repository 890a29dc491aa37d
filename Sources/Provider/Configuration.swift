import HTTP
import Issuance
import OpenID
import OpenSSL
import Postgres
import Telemetry

/// Everything `seleid serve` can be told, checked. Made from environment variables (`Configuration+Environment.swift`);
/// `Docs/configuration.md` lists them.
public struct Configuration: Sendable {
    /// `SELEID_ISSUER`: who we are in `iss`, and the base of every link.
    public var issuer: Issuer
    /// `SELEID_LISTEN` and `SELEID_TRUSTED_PROXIES`.
    public var server: ServerConfiguration
    /// `SELEID_DATABASE_URL`, `SELEID_DATABASE_SHARED_CONNECTIONS`, `SELEID_DATABASE_EXCLUSIVE_CONNECTIONS`.
    public var database: DatabaseConfiguration
    /// `SELEID_MASTER_KEY_FILE` or `SELEID_MASTER_KEY`.
    public var masterKeys: MasterKeys
    /// `SELEID_TLS_CERT` and `SELEID_TLS_KEY`; without them we speak plain HTTP, for a proxy in front.
    public var tls: TLSFiles?
    /// `SELEID_LOOPS`: event loops, each with a thread, a listening socket and database connections of its own.
    public var loops: Int
    /// `SELEID_PASSWORD_THREADS`: password hashes that run at once, 19 MiB each.
    public var passwordThreads: Int
    /// `SELEID_LOG_LEVEL`.
    public var logLevel: Log.Level
    /// `SELEID_DRAIN_SECONDS`: how long the listener stays open with readiness already 503, so that load balancers have
    /// seen it before connections are refused.
    public var drainDelay: Duration
    /// How long requests in flight may take to end after that.
    public var drainLimit: Duration = .seconds(30)

    /// PEM files; read again on SIGHUP.
    public struct TLSFiles: Sendable, Equatable {
        public var certificate: String
        public var privateKey: String
        /// `SELEID_TLS_CLIENT_CERTIFICATES`. Not asked for unless wanted: a browser that has one asks its person which to show.
        public var clientCertificates: TLSContext.ClientCertificates

        public init(
            certificate: String, privateKey: String, clientCertificates: TLSContext.ClientCertificates = .notAsked
        ) {
            self.certificate = certificate
            self.privateKey = privateKey
            self.clientCertificates = clientCertificates
        }

        /// Reads the files. - Throws: naming the file and what is wrong with it.
        func context() throws(OpenSSLError) -> TLSContext {
            try TLSContext(
                certificateChainFile: certificate, privateKeyFile: privateKey, clientCertificates: clientCertificates)
        }
    }
}

/// What the commands need that work on the database and do not serve.
public struct AdministrationConfiguration: Sendable {
    public var database: DatabaseConfiguration
    /// nil when neither master key variable is set; commands that touch secrets or keys then refuse.
    public var masterKeys: MasterKeys?
    /// nil when it is not set or not right, which `serve` tells.
    public var issuer: Issuer?
}

/// What is wrong with the environment: every problem at once, each naming its variable.
public struct ConfigurationProblems: Error, CustomStringConvertible, Sendable, Equatable {
    public let all: [String]
    public var description: String { all.joined(separator: "\n") }
}
