import CPostgreSQL
import Glibc
import Synchronization

/// A private PostgreSQL server with a data directory of its own, reachable by a Unix socket; gone with the test
/// process.
///
/// Durability is off: these tests are about processes that die, not machines. Calls block; none is for an event loop.
public final class PostgresCluster: Sendable {
    /// The one most suites use: each makes itself a database in it. It must not be stopped.
    public static let shared: PostgresCluster = {
        do { return try PostgresCluster() } catch { fatalError("no PostgreSQL for the tests: \(error)") }
    }()

    /// Holds the socket, the data and the log.
    public let directory: String
    /// Names the socket; with TLS, the server listens on this port of 127.0.0.1 too.
    public let port: Int
    private let settings: [String]
    private let binaries: String
    private let server = Mutex<ChildProcess?>(nil)
    private let templates = Templates()
    private static let counter = Atomic<Int>(0)

    /// Makes a cluster and starts it.
    /// - Parameter settings: more of the server's settings, as `name=value`.
    /// - Parameter tls: whether it can be reached by TCP and TLS as well, with a certificate for `localhost`.
    public init(settings: [String] = [], tls: Bool = false) throws {
        let pristine = try PostgresCluster.pristine.get()
        binaries = pristine.binaries
        directory = try TemporaryDirectory.make()
        port = tls ? try Proxy.freePort() : 5432
        try PostgresCluster.run(["cp", "-a", pristine.data, "\(directory)/data"], logPath: "\(directory)/cp.log")
        if tls {
            let (key, certificate) = ("\(directory)/server.key", "\(directory)/server.crt")
            let arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate,
            ]
            try PostgresCluster.run(arguments, logPath: "\(directory)/openssl.log")
            let tcp = ["listen_addresses=127.0.0.1", "ssl=on", "ssl_key_file=\(key)", "ssl_cert_file=\(certificate)"]
            self.settings = tcp + settings
        } else {
            self.settings = ["listen_addresses="] + settings
        }
        try start()
    }

    /// What initdb makes, in a second; copying it takes a tenth of that.
    private static let pristine = Result { () throws -> (binaries: String, data: String) in
        let binaries = try findBinaries()
        let directory = try TemporaryDirectory.make()
        let arguments = [
            "\(binaries)/initdb", "-D", "\(directory)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C", "--no-sync", "--no-instructions",
        ]
        try run(arguments, logPath: "\(directory)/initdb.log")
        return (binaries, "\(directory)/data")
    }

    private static func run(_ arguments: [String], logPath: String) throws {
        let status = try ChildProcess(unprivileged + arguments, logPath: logPath).wait()
        guard status == 0 else { throw TestFailure("\(arguments[0]) failed, see \(logPath)") }
    }

    /// Where its socket is, for a `Proxy`.
    public var socketPath: String { "\(directory)/.s.PGSQL.\(port)" }

    /// A connection string for one of its databases.
    public func connectionString(_ database: String = "postgres") -> String {
        "host=\(directory) port=\(port) user=postgres dbname=\(database)"
    }

    /// The same by TCP and TLS, for a cluster made so.
    public func tlsConnectionString(_ database: String = "postgres") -> String {
        let security = "sslmode=verify-full sslrootcert=\(directory)/server.crt"
        return "host=localhost port=\(port) user=postgres dbname=\(database) \(security)"
    }

    // MARK: Databases

    /// Makes a database, a copy of `template`, and returns its connection string.
    public func makeDatabase(template: String = "template0") throws -> String {
        let name = "t\(PostgresCluster.counter.wrappingAdd(1, ordering: .relaxed).newValue)"
        try createDatabase(name, template: template)
        return connectionString(name)
    }

    /// The name of a database to copy from, made and filled by `prepare` at the first call for `name`.
    public func template(
        _ name: String, prepare: @escaping @Sendable (_ connectionString: String) async throws -> Void
    ) async throws -> String {
        try await templates.task(name) {
            try self.createDatabase(name, template: "template0")
            try await prepare(self.connectionString(name))
        }.value
        return name
    }

    private actor Templates {
        private var tasks: [String: Task<Void, any Error>] = [:]
        func task(_ name: String, _ make: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
            if let task = tasks[name] { return task }
            let task = Task { try await make() }
            tasks[name] = task
            return task
        }
    }

    private func createDatabase(_ name: String, template: String) throws {
        // Sessions that have just been closed may still be seen in the template.
        for attempt in 1... {
            do {
                try execute("CREATE DATABASE \"\(name)\" TEMPLATE \"\(template)\"")
                return
            } catch  where attempt < 100 && "\(error)".contains("being accessed by other users") {
                usleep(20_000)
            }
        }
    }

    /// Runs SQL text on a session of its own, beside the client under test.
    /// - Returns: the rows of the last statement, as text; NULL as "".
    @discardableResult
    public func execute(_ sql: String, in connectionString: String? = nil) throws -> [[String]] {
        let connection = PQconnectdb(connectionString ?? self.connectionString())
        defer { PQfinish(connection) }
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw TestFailure(PQerrorMessage(connection).map { String(cString: $0) } ?? "no connection")
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
        }
    }

    // MARK: The server

    /// Starts the server, if it does not run, and waits until it takes connections.
    public func start() throws {
        for _ in 0..<50 {
            let child = try ChildProcess(
                PostgresCluster.unprivileged + ["\(binaries)/postgres", "-D", "\(directory)/data"]
                    + (defaults + settings).flatMap { ["-c", $0] },
                logPath: "\(directory)/postgres.log")
            server.withLock { $0 = child }
            TemporaryDirectory.beforeRemoval(of: directory) {
                child.signal(SIGINT)
                child.wait()
            }
            while child.isRunning {
                if PQping(connectionString()) == PQPING_OK { return }
                usleep(5000)
            }
            // After a kill, processes of the old server may need a moment to leave its shared memory.
            usleep(100_000)
        }
        throw TestFailure("PostgreSQL does not start, see \(directory)/postgres.log")
    }

    private var defaults: [String] {
        [
            "unix_socket_directories=\(directory)", "port=\(port)", "fsync=off", "full_page_writes=off",
            "shared_buffers=16MB", "max_connections=200", "log_min_messages=warning",
        ]
    }

    /// Ends sessions and server in order (pg_ctl's "fast").
    public func stop() { end(SIGINT) }

    /// Ends the server with SIGKILL; its sessions' processes notice and go.
    public func kill() { end(SIGKILL) }

    public func restart() throws {
        stop()
        try start()
    }

    private func end(_ signal: Int32) {
        let child = server.withLock { child in
            defer { child = nil }
            return child
        }
        child?.signal(signal)
        child?.wait()
    }

    /// Stops the server and removes everything.
    public func remove() {
        end(SIGINT)
        TemporaryDirectory.remove(directory)
    }

    /// PostgreSQL refuses to run as root.
    private static var unprivileged: [String] {
        let user = getuid() == 0 ? ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"] : []
        return ["setpriv"] + user + ["--pdeathsig", "INT", "--"]
    }

    private static func findBinaries() throws -> String {
        for version in stride(from: 30, through: 13, by: -1) {
            let path = "/usr/lib/postgresql/\(version)/bin"
            if access("\(path)/postgres", X_OK) == 0 { return path }
        }
        throw TestFailure("there is no PostgreSQL below /usr/lib/postgresql")
    }
}
