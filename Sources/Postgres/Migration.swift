/// A numbered migration, `NNNN_name.sql`.
public struct Migration: Sendable {
    public let number: Int
    public let name: String
    public let sql: String
    public init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }
}

/// Why migrations cannot be applied.
public enum MigrationError: Error, CustomStringConvertible, Sendable, Equatable {
    /// It was applied with another text than the one at hand.
    case changed(String)
    /// The database has applied a migration that is not in our list, although its number is not above ours.
    case unknown(number: Int, name: String)
    /// It is not applied, although one with a higher number is.
    case outOfOrder(String)
    /// Its SQL failed. `detail` holds the server's text: for the operator, not for a response.
    case failed(String, detail: String)

    public var description: String {
        switch self {
        case .changed(let name): "migration \(name) was applied with another text"
        case .unknown(let number, let name):
            "the database knows migration \(number) \(name), which this release does not"
        case .outOfOrder(let name): "migration \(name) comes before one that is already applied"
        case .failed(let name, let detail): "migration \(name) failed: \(detail)"
        }
    }
}
