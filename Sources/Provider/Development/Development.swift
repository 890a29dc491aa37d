import Administration
import Glibc
import HTTP
import Issuance
import OpenSSL
import Postgres
import Storage
import Telemetry

/// `seleid dev`: everything that is needed to try SeleID on one machine, in one folder, with one command.
public struct Development {
    public struct Options: Sendable {
        /// 0 lets the system choose.
        public var port: UInt16 = 8080
        public var dataDirectory = ".seleid"
        /// Files for `seleid apply`, in this order.
        public var applyFiles: [String] = []
        public var usesTLS = false
        public init() {}
    }

    private let options: Options
    private let environment: [String: String]

    /// - Parameter environment: tuning (`SELEID_LOOPS`, …) is obeyed; what `dev` decides itself is ignored, and said so.
    public init(_ options: Options, environment: [String: String]) {
        self.options = options
        self.environment = environment
    }

    /// Runs until SIGTERM, SIGINT or SIGHUP. `Signals.block()` must have been called before. Main thread only.
    public func run() throws {
        // Everything that can be wrong without a database first.
        let files = try options.applyFiles.map { try ApplyFile.read($0) }
        let user = try ClusterUser.current()
        let data = try DataDirectory(options.dataDirectory, user: user)
        let port = try DevelopmentPort.find(options.port)
        let masterKeyFile = data.file("master.key")
        if !Files.exists(masterKeyFile) {
            try Files.write(MasterKeys.generateFile(), to: masterKeyFile, mode: 0o600)
        }
        let certificates = options.usesTLS ? try DevelopmentCertificates.prepare(in: data) : nil
        let issuer = options.usesTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"

        if !Files.exists(data.file("database-url")) {
            printOut("Making a private PostgreSQL cluster in \(data.path) …\n")
        }
        let cluster = try Cluster.start(in: data, user: user)
        defer { cluster.stop() }
        try Files.write(cluster.connectionString + "\n", to: data.file("database-url"), mode: 0o600)

        var variables = [
            ConfigurationVariable.issuer.rawValue: issuer,
            ConfigurationVariable.listen.rawValue: "127.0.0.1:\(port)",
            ConfigurationVariable.databaseURL.rawValue: cluster.connectionString,
            ConfigurationVariable.masterKeyFile.rawValue: masterKeyFile,
            ConfigurationVariable.drainSeconds.rawValue: "0",
        ]
        if let certificates {
            variables[ConfigurationVariable.tlsCertificate.rawValue] = certificates.certificate
            variables[ConfigurationVariable.tlsKey.rawValue] = certificates.privateKey
        }
        let configuration = try Configuration(environment: overlay(variables))
        Log.setMinimumLevel(configuration.logLevel)

        try prepareDatabase(configuration, data, files: files)
        let welcome = welcome(issuer: issuer, data: data, certificates: certificates)
        try Lifecycle.run(
            configuration, isDevelopment: true, hangUp: .stops, onReady: { printOut(welcome) },
            onChildEnd: {
                if try cluster.restartIfEnded() { Log.warning("postgresql.restarted") }
            })
        printOut("Stopped.\n")
    }

    /// The caller's environment with what `dev` decides on top.
    private func overlay(_ variables: [String: String]) -> [String: String] {
        let decided: [ConfigurationVariable] = [
            .issuer, .listen, .databaseURL, .masterKeyFile, .masterKey, .tlsCertificate, .tlsKey,
        ]
        var result = environment
        for name in decided.map(\.rawValue) where result[name].map({ !$0.isEmpty }) == true {
            printError("seleid: dev sets \(name) itself and ignores yours\n")
            result[name] = nil
        }
        return result.merging(variables) { theirs, ours in
            theirs.isEmpty ? ours : theirs  // SELEID_DRAIN_SECONDS stays the caller's
        }
    }

    private func prepareDatabase(
        _ configuration: Configuration, _ data: DataDirectory, files: [ApplyFile]
    ) throws {
        let demonstration = Demonstration(issuer: configuration.issuer)
        let administrator = Administrator(actor: .command(operatingSystemUser()), origin: .none)
        let tokenFile = DevelopmentToken(path: data.file("admin-token"))
        let lines = try runOnLoop { loop in
            let database = Database(loop: loop, configuration: configuration.database)
            database.start()
            _ = try await Migrator.embedded.run(on: database)
            let keys = KeyAdministration(
                store: SigningKeyStore(database: database), masterKeys: configuration.masterKeys)
            try await keys.makeFirstIfNeeded(by: administrator.actor)
            try await demonstration.install(on: database, by: administrator)
            try await tokenFile.prepare(database, configuration.masterKeys, by: administrator)
            var lines: [String] = []
            for file in files {
                let applier = Applier(
                    database: database, masterKeys: configuration.masterKeys, by: administrator)
                lines += try await applier.apply(file).filter(\.isChange).map(\.description)
            }
            await database.close(limit: .seconds(5))
            return lines
        }
        for line in lines { printOut("\(line)\n") }
    }

    private func welcome(issuer: String, data: DataDirectory, certificates: DevelopmentCertificates?) -> String {
        var text = """

            SeleID is running, for trying out and development only.

              Try it       \(issuer)/demo
              Sign in as   \(Demonstration.username), password "\(Demonstration.password)"
              Discovery    \(issuer)/.well-known/openid-configuration
              Data         \(data.path)

            """
        if let certificates {
            text += """
                  Browsers and apps must trust the authority \(certificates.authority)

                """
        }
        text += """

            The admin API, by the token in \(data.file("admin-token")):
              curl \(certificates.map { "--cacert \($0.authority) " } ?? "")-H "Authorization: Bearer $(cat \(data.file("admin-token")))" \(issuer)/admin/v1/clients

            For other commands in another terminal:
              export SELEID_DATABASE_URL="$(cat \(data.file("database-url")))" SELEID_MASTER_KEY_FILE=\(data.file("master.key"))
              \((try? Files.realPath("/proc/self/exe")) ?? "seleid") client list

            Stop with Ctrl-C.
            ready \(issuer)

            """
        return text
    }
}

/// A port that nobody listens on.
enum DevelopmentPort {
    /// - Parameter wanted: 0 lets the system choose.
    /// - Throws: when it is taken.
    static func find(_ wanted: UInt16) throws(SystemError) -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot make a socket", errno: errno) }
        defer { close(descriptor) }
        // Not SO_REUSEPORT, which the server's sockets have: with it two servers would share the port without a word.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard status else {
            if errno == EADDRINUSE {
                throw SystemError("port \(wanted) is taken by another program: choose another one with --port")
            }
            throw SystemError("cannot listen on 127.0.0.1:\(wanted)", errno: errno)
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// The certificates of `dev --tls`, kept in the data directory so that a browser need trust them only once.
struct DevelopmentCertificates {
    let authority: String
    let certificate: String
    let privateKey: String

    static func prepare(in data: DataDirectory) throws -> DevelopmentCertificates {
        let directory = data.file("tls")
        try Files.makeDirectory(directory, mode: 0o755)
        let files = DevelopmentCertificates(
            authority: "\(directory)/ca.pem", certificate: "\(directory)/cert.pem", privateKey: "\(directory)/key.pem")
        let days = 397
        if let status = Files.status(files.privateKey), time(nil) - status.st_mtim.tv_sec < (days - 30) * 86_400,
            (try? TLSContext(certificateChainFile: files.certificate, privateKeyFile: files.privateKey)) != nil
        {
            return files
        }
        let made = try LocalCertificates.make(names: ["localhost", "127.0.0.1", "::1"], days: days)
        try Files.write(made.authorityCertificatePEM, to: files.authority, mode: 0o644)
        try Files.write(made.certificatePEM, to: files.certificate, mode: 0o644)
        try Files.write(made.privateKeyPEM, to: files.privateKey, mode: 0o600)
        return files
    }
}
