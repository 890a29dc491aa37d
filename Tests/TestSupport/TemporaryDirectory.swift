import Glibc
import Synchronization

/// Directories below /tmp that are gone when the test process ends in order.
enum TemporaryDirectory {
    /// By path: what must be done before it can be removed.
    private static let all = Mutex<[String: @Sendable () -> Void]>([:])

    /// Makes a directory that belongs to the user `postgres` when we are root. Its path is short, since that of a socket
    /// has at most 107 bytes.
    static func make() throws -> String {
        var template = Array("/tmp/seleid-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("no temporary directory") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if getuid() == 0, let user = getpwnam("postgres") {
            chown(path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        let isFirst = all.withLock { all in
            defer { all[path] = {} }
            return all.isEmpty
        }
        if isFirst { atexit { TemporaryDirectory.removeAll() } }
        return path
    }

    /// Replaces what is to be done before `path` is removed.
    static func beforeRemoval(of path: String, _ action: @escaping @Sendable () -> Void) {
        all.withLock { $0[path] = action }
    }

    private static func removeAll() {
        for path in all.withLock({ $0.keys.sorted() }) { remove(path) }
    }

    static func remove(_ path: String) {
        all.withLock { $0.removeValue(forKey: path) }?()
        let rm = try? ChildProcess(["rm", "-rf", path], logPath: "/dev/null")
        rm?.wait()
    }
}
