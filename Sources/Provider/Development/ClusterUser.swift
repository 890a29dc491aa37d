import Glibc

/// Whose processes and files the private cluster's are: PostgreSQL refuses to run as root.
struct ClusterUser {
    let userID: uid_t
    let groupID: gid_t
    /// What comes before a command so that it runs as this user and gets SIGINT (a fast shutdown) when we die.
    let prefix: [String]
    /// Whether it is another user than ourselves.
    let isOther: Bool

    static func current() throws(SystemError) -> ClusterUser {
        let setpriv: String? = access("/usr/bin/setpriv", X_OK) == 0 ? "/usr/bin/setpriv" : nil
        guard geteuid() == 0 else {
            // Without setpriv only a killed `dev` leaves its PostgreSQL behind, and the next one ends that.
            let prefix = setpriv.map { [$0, "--pdeathsig", "INT", "--"] } ?? []
            return ClusterUser(userID: geteuid(), groupID: getegid(), prefix: prefix, isOther: false)
        }
        guard let entry = getpwnam("postgres") else {
            throw SystemError(
                "PostgreSQL cannot run as root, and there is no user postgres: run apt-get install postgresql")
        }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        guard let setpriv else {
            throw SystemError("setpriv is missing, with which root starts PostgreSQL: run apt-get install util-linux")
        }
        let prefix = [
            setpriv, "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups", "--pdeathsig", "INT", "--",
        ]
        return ClusterUser(userID: user, groupID: group, prefix: prefix, isOther: true)
    }

    /// Whether this user may pass through every directory of an absolute, resolved path.
    func canReach(_ path: String) -> Bool {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/\(part)"
            guard let status = Files.status(prefix) else { return false }
            let bit: mode_t =
                status.st_uid == userID ? S_IXUSR : status.st_gid == groupID ? S_IXGRP : S_IXOTH
            guard status.st_mode & bit != 0 else { return false }
        }
        return true
    }

    /// Makes a directory that only this user enters.
    func makePrivateDirectory(_ path: String) throws(SystemError) {
        try Files.makeDirectory(path, mode: 0o700)
        guard chown(path, userID, groupID) == 0 else {
            throw SystemError("cannot give \(path) to postgres", errno: errno)
        }
    }
}
