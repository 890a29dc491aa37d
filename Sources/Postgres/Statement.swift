import Synchronization

/// One SQL statement with its name; prepared on each connection at first use.
public struct Statement: Sendable {
    public let name: String
    public let sql: String
    /// The statement's place in each connection's table of prepared statements.
    let index: Int

    /// `name` must be unique in the program: two texts under one name trap, since one would run in the other's place.
    public init(_ name: String, _ sql: String) {
        precondition(!name.utf8.contains(0) && !sql.utf8.contains(0), "a statement holds a NUL")
        self.name = name
        self.sql = sql
        index = Statement.registry.withLock { registry in
            if let known = registry[name] {
                precondition(known.sql == sql, "two statements are named \(name)")
                return known.index
            }
            let index = registry.count
            registry[name] = (index, sql)
            return index
        }
    }

    private static let registry = Mutex<[String: (index: Int, sql: String)]>([:])
}
