import Foundation
import Testing

@testable import Migrations

@Suite("Embedded migrations") struct MigrationTests {
    /// /Migrations, found from this file.
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Migrations")

    @Test("the binary carries every .sql file of Migrations/, byte for byte, and no other")
    func filesAreEmbedded() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        let embedded = EmbeddedMigrations.all.map { migration in
            String(repeating: "0", count: 4 - String(migration.number).count)
                + "\(migration.number)_\(migration.name).sql"
        }
        #expect(files == embedded)
        for (file, migration) in zip(files, EmbeddedMigrations.all) {
            let bytes = try Data(contentsOf: Self.folder.appending(path: file))
            #expect([UInt8](bytes) == migration.sql, "\(file)")
        }
    }

    @Test("numbers begin at 1 and leave no hole")
    func numbersAreConsecutive() {
        #expect(EmbeddedMigrations.all.map(\.number) == Array(1..<(EmbeddedMigrations.all.count + 1)))
    }
}
