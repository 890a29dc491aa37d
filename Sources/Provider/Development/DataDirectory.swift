import ASCII
import Glibc
import OpenSSL

/// The folder of one `seleid dev`: its cluster, keys and certificates. Locked while we run.
///
/// `cluster/` is the PostgreSQL cluster, or `cluster-location` says where that is; `database-url` and `master.key` are for
/// other commands; `admin-token` is for the admin API; `postgres.log` is what PostgreSQL says.
final class DataDirectory {
    /// Absolute, without symbolic links.
    let path: String
    private let lock: Int32

    /// Makes the folder if need be. - Throws: also when another `dev` uses it.
    init(_ path: String, user: ClusterUser) throws(SystemError) {
        // Root's PostgreSQL is another user, which must pass through to its cluster; what is secret has modes of its own.
        try Files.makeDirectory(path, mode: user.isOther ? 0o711 : 0o700)
        self.path = try Files.realPath(path)
        lock = open("\(self.path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw SystemError("cannot write into \(self.path)", errno: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw SystemError("another seleid dev runs on \(self.path): stop it, or choose another --data directory")
        }
    }

    deinit { close(lock) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Where the cluster is, or is to be made.
    ///
    /// Normally `cluster`. But a folder that the user postgres cannot reach (root's home, say) cannot hold its cluster; that
    /// one lives below /var/lib then, and a note here says where.
    func clusterPath(for user: ClusterUser) throws(SystemError) -> String {
        let note = file("cluster-location")
        if Files.exists(note) { return trimmed(try Files.readText(note, limit: 4096)) }
        let inside = file("cluster")
        if Files.exists(inside) || user.canReach(path) { return inside }
        let shared = "/var/lib/seleid-dev"
        try Files.makeDirectory(shared, mode: 0o755)
        // The name begins with what our path gives and ends at random: a folder that was removed and made anew must not get
        // its former cluster back, whose keys are sealed under a master key that is gone.
        let prefix = SHA256.hash(Array(path.utf8)).prefix(8).hexadecimal + "-"
        for name in Files.names(in: shared) where name.hasPrefix(prefix) && !Cluster.isBusy("\(shared)/\(name)") {
            Files.removeTree("\(shared)/\(name)")
        }
        let outside = "\(shared)/\(prefix)\(randomBytes(4).hexadecimal)"
        try Files.write(outside + "\n", to: note, mode: 0o644)
        return outside
    }
}
