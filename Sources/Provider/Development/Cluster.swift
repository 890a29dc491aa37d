import Glibc

/// A private PostgreSQL cluster: reachable through one unix socket in a folder that only its user may enter, stopped when
/// we stop, and stopped by the kernel's parent-death signal when we are killed.
///
/// Main thread only: the parent-death signal follows the thread that started the process.
final class Cluster {
    private let programs: PostgreSQLPrograms
    private let user: ClusterUser
    /// PGDATA.
    private let path: String
    private let socketDirectory: String
    private let logPath: String
    private var postmaster: Subprocess?

    /// libpq's URI for the database `seleid`.
    var connectionString: String { "postgresql://seleid@/seleid?host=\(socketDirectory)" }

    /// Makes the cluster if it does not exist, ends what a killed run left behind, and starts it.
    /// - Returns: once connections are accepted.
    static func start(in data: DataDirectory, user: ClusterUser) throws(SystemError) -> Cluster {
        let path = try data.clusterPath(for: user)
        let logPath = data.file("postgres.log")
        let programs: PostgreSQLPrograms
        if Files.exists("\(path)/PG_VERSION") {
            let version = trimmed(try Files.readText("\(path)/PG_VERSION", limit: 100))
            guard let major = Int(version) else { throw SystemError("\(path)/PG_VERSION names no version") }
            programs = try PostgreSQLPrograms.version(major)
        } else {
            programs = try PostgreSQLPrograms.newest()
            try make(path, programs: programs, user: user, logPath: logPath)
        }
        let cluster = Cluster(
            programs: programs, user: user, path: path, socketDirectory: try makeSocketDirectory(in: data, user: user),
            logPath: logPath)
        do {
            try cluster.endLeftover()
            try cluster.launch()
        } catch {
            cluster.stop()
            throw error
        }
        return cluster
    }

    private init(
        programs: PostgreSQLPrograms, user: ClusterUser, path: String, socketDirectory: String, logPath: String
    ) {
        self.programs = programs
        self.user = user
        self.path = path
        self.socketDirectory = socketDirectory
        self.logPath = logPath
    }

    // MARK: Making

    /// initdb and our one database, under another name until both are done: what bears the name is complete.
    private static func make(
        _ path: String, programs: PostgreSQLPrograms, user: ClusterUser, logPath: String
    ) throws(SystemError) {
        let unfinished = "\(path).new"
        Files.removeTree(unfinished)
        guard let slash = path.lastIndex(of: "/") else { throw SystemError("\(path) is no absolute path") }
        if user.isOther, !user.canReach(String(path[..<slash])) {
            throw SystemError("the user postgres cannot reach \(path)")
        }
        try user.makePrivateDirectory(unfinished)
        let initdb = [
            programs.initdb, "-D", unfinished, "--username=seleid", "--encoding=UTF8", "--locale=C",
            "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ]
        try run(user.prefix + initdb, what: "initdb", logPath: logPath)
        // Without a server: libpq cannot make a database inside the pipeline or transaction our client works in.
        let single = [
            programs.postgres, "--single", "-D", unfinished, "-c", "log_timezone=UTC", "-c", "log_min_messages=warning",
            "postgres",
        ]
        try run(
            user.prefix + single, what: "making the database", logPath: logPath, input: "CREATE DATABASE seleid\n")
        guard rename(unfinished, path) == 0 else { throw SystemError("cannot rename \(unfinished)", errno: errno) }
    }

    private static func run(
        _ command: [String], what: String, logPath: String, input: String? = nil
    ) throws(SystemError) {
        let log = try openLog(logPath)
        defer { close(log) }
        var pipe: [Int32] = [-1, -1]
        if let input {
            guard Glibc.pipe(&pipe) == 0 else { throw SystemError("cannot make a pipe", errno: errno) }
            Files.writeAll(pipe[1], Array(input.utf8))  // far below a pipe's capacity
            close(pipe[1])
        }
        defer { if pipe[0] >= 0 { close(pipe[0]) } }
        let child = try Subprocess.start(
            command, environment: environment, input: input == nil ? nil : pipe[0], output: log)
        guard child.wait() else {
            throw SystemError("\(what) failed: \(lastLine(of: logPath)) (more in \(logPath))")
        }
    }

    /// Nothing of ours: libpq's and PostgreSQL's variables would change what the cluster is.
    private static let environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "TZ=UTC"]

    private static func openLog(_ path: String) throws(SystemError) -> Int32 {
        let log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else { throw SystemError("cannot write \(path)", errno: errno) }
        return log
    }

    private static func lastLine(of path: String) -> String {
        let text = (try? Files.readText(path, limit: 64 << 20)) ?? ""
        return text.split(separator: "\n").last.map { trimmed($0) } ?? "it said nothing"
    }

    /// A socket's path may have 107 bytes, so it cannot be below the data directory. The name cannot be guessed, and mode
    /// 0700 keeps other users out even when it is known.
    private static func makeSocketDirectory(in data: DataDirectory, user: ClusterUser) throws(SystemError) -> String {
        removeFormerSocketDirectory(in: data, user: user)
        var template = Array("/tmp/seleid-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("cannot make a directory in /tmp", errno: errno) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try user.makePrivateDirectory(path)
        try Files.write("\(path)\n", to: data.file("socket-directory"), mode: 0o644)
        return path
    }

    /// The one of a run that was killed, if it is still what that run made.
    private static func removeFormerSocketDirectory(in data: DataDirectory, user: ClusterUser) {
        guard let text = try? Files.readText(data.file("socket-directory"), limit: 4096) else { return }
        let path = trimmed(text)
        var status = stat()
        guard path.hasPrefix("/tmp/seleid-"), !path.dropFirst(5).contains("/"), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user.userID
        else { return }
        Files.removeTree(path)
    }

    // MARK: Running

    private func launch() throws(SystemError) {
        let settings = [
            "listen_addresses=", "unix_socket_directories=\(socketDirectory)", "unix_socket_permissions=0700",
            "max_connections=200", "shared_buffers=64MB", "timezone=UTC", "log_timezone=UTC",
            "log_min_messages=warning", "cluster_name=seleid-dev",
        ]
        let command = [programs.postgres, "-D", path] + settings.flatMap { ["-c", $0] }
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let log = try Cluster.openLog(logPath)
            defer { close(log) }
            let child = try Subprocess.start(user.prefix + command, environment: Cluster.environment, output: log)
            var hasEnded = false
            while !hasEnded {
                if isReady(child) {
                    postmaster = child
                    return
                }
                if ContinuousClock.now > deadline {
                    postmaster = child  // for stop()
                    throw SystemError("PostgreSQL did not start within a minute; see \(logPath)")
                }
                usleep(3000)
                hasEnded = child.hasEnded()
            }
            // Backends of a killed postmaster take a moment to notice, and keep the data directory busy until then.
            let reason = Cluster.lastLine(of: logPath)
            guard Cluster.isBusy(path), ContinuousClock.now < deadline else {
                throw SystemError("PostgreSQL did not start: \(reason) (more in \(logPath))")
            }
            usleep(100_000)
        }
    }

    /// Whether postmaster.pid says that this process accepts connections: its first line is the process, its eighth the
    /// state. pg_ctl looks at the same.
    private func isReady(_ child: Subprocess) -> Bool {
        let lines = postmasterLines()
        return lines.count >= 8 && lines[0] == "\(child.processID)" && trimmed(lines[7]) == "ready"
    }

    private func postmasterLines() -> [Substring] {
        guard let text = try? Files.readText("\(path)/postmaster.pid", limit: 4096) else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Whether some process works in a cluster's directory.
    static func isBusy(_ path: String) -> Bool { Files.names(in: "/proc").contains { works($0, in: path) } }

    private static func works(_ process: some StringProtocol, in path: String) -> Bool {
        guard Int32(process) != nil, let resolved = try? Files.realPath("/proc/\(process)/cwd") else { return false }
        return resolved == path
    }

    /// Ends the postmaster of a run that was killed before it could. Nobody else's: our lock says that no other `dev` lives,
    /// and the process must work in this very data directory.
    private func endLeftover() throws(SystemError) {
        guard let first = postmasterLines().first, let processID = pid_t(trimmed(first)),
            Cluster.works("\(processID)", in: path)
        else { return }
        for (signal, patience) in [(SIGINT, 10), (SIGQUIT, 10), (SIGKILL, 5)] {
            kill(processID, signal)
            let deadline = ContinuousClock.now + .seconds(patience)
            while ContinuousClock.now < deadline {
                if !Cluster.works("\(processID)", in: path) { return }
                usleep(10_000)
            }
        }
        throw SystemError("PostgreSQL process \(processID) of a former run does not end")
    }

    /// Starts PostgreSQL again if it ended without being asked (SIGCHLD says that some child did).
    /// - Returns: whether it had ended.
    func restartIfEnded() throws(SystemError) -> Bool {
        guard let child = postmaster, child.hasEnded() else { return false }
        postmaster = nil
        try launch()
        return true
    }

    /// A fast shutdown: open transactions are rolled back, everything is written. Waits for it; what takes more than half a
    /// minute is cut short, and recovers at the next start.
    func stop() {
        if let child = postmaster {
            postmaster = nil
            for (signal, patience) in [(SIGINT, 30), (SIGQUIT, 5), (SIGKILL, 5)] {
                child.signal(signal)
                if child.hasEnded(within: .seconds(patience)) { break }
            }
        }
        Files.removeTree(socketDirectory)
    }
}
