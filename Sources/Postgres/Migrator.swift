/// Applies migrations in order, each in a transaction of its own, under an advisory lock; keeps number, name, SHA-256
/// and time in `schema_migrations`.
public struct Migrator: Sendable {
    private let migrations: [Migration]

    /// The numbers must differ.
    public init(migrations: [Migration]) {
        self.migrations = migrations.sorted { $0.number < $1.number }
        precondition(Set(migrations.map(\.number)).count == migrations.count, "two migrations have the same number")
    }

    /// Any number of nodes may run this at the same time: one works, the others wait and then find nothing left.
    /// Statements have no time limit here.
    /// - Returns: the names of those applied now.
    /// - Throws: when an applied one's checksum differs, or the database knows a migration this release does not
    ///   (allowed when newer: expand-then-contract; refused when it is a hole in our list), or SQL fails.
    public func run(on database: Database) async throws -> [String] {
        var applied: [String] = []
        while let name = try await applyNext(on: database) { applied.append(name) }
        return applied
    }

    /// Whether anything is left to apply.
    public func pending(on database: Database) async throws -> [String] {
        guard try await database.query(Migrator.tableExists).first?.bool(0) == true else {
            return migrations.map(\.name)
        }
        return try await left(
            Migrator.known(in: database.query(Migrator.list)),
            checksum: { sql in
                try await database.query(Migrator.checksum, [.bytes(Array(sql.utf8))])
            }
        ).map(\.name)
    }

    /// The lock ends with the transaction: no session state is left behind, whatever happens.
    private func applyNext(on database: Database) async throws -> String? {
        try await database.transaction(limit: nil) { (transaction) -> String? in
            _ = try await transaction.query(Migrator.lock)
            try await transaction.execute(Migrator.createTable)
            let known = try await Migrator.known(in: transaction.query(Migrator.list))
            let next = try await left(
                known,
                checksum: { sql in
                    try await transaction.query(Migrator.checksum, [.bytes(Array(sql.utf8))])
                }
            ).first
            guard let next else { return nil }
            do {
                try await transaction.execute(next.sql)
            } catch DatabaseError.refused(_, _, let detail) {
                throw MigrationError.failed(next.name, detail: detail)
            }
            let parameters: [Parameter] = [
                .int(Int64(next.number)), .text(next.name), .bytes(Array(next.sql.utf8)),
            ]
            _ = try await transaction.query(Migrator.record, parameters)
            return next.name
        }
    }

    /// Those not yet applied, after the applied ones have been compared with ours.
    private func left(
        _ known: [Int: (name: String, checksum: String)], checksum: (String) async throws -> Rows
    ) async throws -> [Migration] {
        let newest = migrations.last?.number ?? 0
        let ours = Set(migrations.map(\.number))
        for (number, row) in known.sorted(by: { $0.key < $1.key }) where !ours.contains(number) && number < newest {
            throw MigrationError.unknown(number: number, name: row.name)
        }
        var left: [Migration] = []
        for migration in migrations {
            guard let row = known[migration.number] else {
                left.append(migration)
                continue
            }
            if let skipped = left.first { throw MigrationError.outOfOrder(skipped.name) }
            guard try await checksum(migration.sql).first?.string(0) == row.checksum else {
                throw MigrationError.changed(migration.name)
            }
        }
        return left
    }

    private static func known(in rows: Rows) -> [Int: (name: String, checksum: String)] {
        var known: [Int: (name: String, checksum: String)] = [:]
        for row in rows { known[Int(row.int(0))] = (row.string(1), row.string(2)) }
        return known
    }

    // Any number will do, as long as all releases use the same.
    private static let lock = Statement(
        "seleid migration lock", "SELECT pg_advisory_xact_lock(x'5e1e1d00'::bit(32)::bigint)")
    private static let tableExists = Statement(
        "seleid migration table", "SELECT to_regclass('schema_migrations') IS NOT NULL")
    private static let createTable = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number integer PRIMARY KEY,
            name text NOT NULL,
            sha256 text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        )
        """
    private static let list = Statement(
        "seleid migration list", "SELECT number, name, sha256 FROM schema_migrations")
    private static let checksum = Statement(
        "seleid migration checksum", "SELECT encode(sha256($1), 'hex')")
    private static let record = Statement(
        "seleid migration record",
        "INSERT INTO schema_migrations (number, name, sha256) VALUES ($1, $2, encode(sha256($3), 'hex'))")
}
