/// The schema's history, inside the binary.
///
/// Each `NNNN_name.sql` of this folder is listed three times: as a file, as `.embedInCode` in Package.swift, and here.
/// A test compares them. SwiftPM replaces the first digit of an embedded file's name: `0001_first.sql` is
/// `PackageResources._001_first_sql`.
public enum EmbeddedMigrations {
    /// Number, name and SQL text (UTF-8), in order.
    public static let all: [(number: Int, name: String, sql: [UInt8])] = [
        (1, "first", PackageResources._001_first_sql),
        (2, "administration", PackageResources._002_administration_sql),
    ]
}
