import Migrations
import Postgres

extension Migrator {
    /// The migrations that this binary carries.
    public static var embedded: Migrator {
        Migrator(
            migrations: EmbeddedMigrations.all.map { migration in
                Migration(
                    number: migration.number, name: migration.name, sql: String(decoding: migration.sql, as: UTF8.self))
            })
    }
}
