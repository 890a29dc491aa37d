import Glibc

/// PostgreSQL's server programs of one major version, as Debian installs them.
struct PostgreSQLPrograms {
    let major: Int
    let directory: String

    var initdb: String { "\(directory)/initdb" }
    var postgres: String { "\(directory)/postgres" }

    private static let root = "/usr/lib/postgresql"

    /// The newest that is installed.
    static func newest() throws(SystemError) -> PostgreSQLPrograms {
        let majors = Files.names(in: root).compactMap { Int($0) }.sorted(by: >)
        for major in majors {
            if let programs = installed(major) { return programs }
        }
        throw SystemError("no PostgreSQL server is installed below \(root): run apt-get install postgresql")
    }

    /// The one that can open an existing cluster.
    static func version(_ major: Int) throws(SystemError) -> PostgreSQLPrograms {
        guard let programs = installed(major) else {
            throw SystemError(
                "the cluster was made by PostgreSQL \(major), which is not installed: "
                    + "run apt-get install postgresql-\(major), or begin anew in another --data directory")
        }
        return programs
    }

    private static func installed(_ major: Int) -> PostgreSQLPrograms? {
        let programs = PostgreSQLPrograms(major: major, directory: "\(root)/\(major)/bin")
        let areThere = access(programs.initdb, X_OK) == 0 && access(programs.postgres, X_OK) == 0
        return areThere ? programs : nil
    }
}
