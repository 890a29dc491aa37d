import Postgres

/// Where a store's statements run: each on its own, or several as one inside a transaction.
public protocol StatementRunner: Sendable {
    func query(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows
}

extension StatementRunner {
    func query(_ statement: Statement) async throws(DatabaseError) -> Rows { try await query(statement, []) }
}

extension Database: StatementRunner {}
extension Transaction: StatementRunner {}
