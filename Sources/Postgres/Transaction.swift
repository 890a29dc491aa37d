/// Statements inside a transaction.
///
/// `@unchecked Sendable`: loop thread only, like the `Database` it comes from.
public final class Transaction: @unchecked Sendable {
    private let connection: Connection
    private var isOver = false
    /// Why the whole transaction should be run again, whatever the body made of the error.
    private(set) var reasonToRunAgain: DatabaseError?

    init(on connection: Connection) { self.connection = connection }

    public func query(_ statement: Statement, _ parameters: [Parameter] = []) async throws(DatabaseError) -> Rows {
        precondition(!isOver, "the transaction is over")
        if let problem = Parameter.problem(in: parameters) { throw problem }
        return try await send(statement, parameters)
    }

    /// SQL text as it stands, possibly several statements, without parameters (migrations).
    public func execute(_ sql: String) async throws(DatabaseError) {
        precondition(!isOver, "the transaction is over")
        if sql.holdsNUL { throw .refused(sqlState: "22021", constraint: nil, detail: "the SQL text holds a NUL") }
        let reply = await withUnsafeContinuation { connection.send(simple: sql, $0) }
        _ = try rows(of: reply)
    }

    private func send(_ statement: Statement, _ parameters: [Parameter]) async throws(DatabaseError) -> Rows {
        let reply = await withUnsafeContinuation { connection.send(statement, parameters, $0) }
        return try rows(of: reply)
    }

    private func rows(of reply: Reply) throws(DatabaseError) -> Rows {
        switch reply {
        case .rows(let rows): return rows
        case .failed(let error): throw error
        case .again(let error):
            reasonToRunAgain = error
            throw error
        }
    }

    // MARK: Begin and end

    private static let begin = Statement("seleid begin", "BEGIN")
    private static let commit = Statement("seleid commit", "COMMIT")
    private static let rollback = Statement("seleid rollback", "ROLLBACK")
    private static let setLimit = Statement("seleid limit", "SELECT set_config('statement_timeout', $1, true)")

    /// - Parameter limit: of each statement, where it is not to be that of all; nil: none.
    func begin(limit: Duration?) async throws(DatabaseError) {
        _ = try await send(Transaction.begin, [])
        guard limit != connection.statementLimit else { return }
        _ = try await send(Transaction.setLimit, [.text(limit.map { String(max($0.milliseconds, 1)) } ?? "0")])
        connection.setStatementLimit(limit)
    }

    func commit() async throws(DatabaseError) {
        isOver = true
        let rows = try await send(Transaction.commit, [])
        // The server answers ROLLBACK, not an error, when a statement had failed and the body went on as if it had not.
        guard rows.commandTag == "COMMIT" else {
            throw .refused(sqlState: "25P02", constraint: nil, detail: "a statement of the transaction had failed")
        }
    }

    func rollback() async {
        isOver = true
        // When it fails, the connection is closed on release, and the server rolls back by itself.
        if connection.isInTransaction { _ = try? await send(Transaction.rollback, []) }
    }
}

extension Database {
    /// Runs `body` between BEGIN and COMMIT on a connection of its own; rolls back when it throws. The whole body is
    /// run again, up to three times, on 40001 and 40P01 (and then the error is `unavailable`).
    public func transaction<Result: Sendable>(
        _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        try await transaction(limit: configuration.statementTimeout, body)
    }

    /// - Parameter limit: of each statement, in place of the configured time-out; nil for statements that may take as long
    ///   as they need.
    public func transaction<Result: Sendable>(
        limit: Duration?, _ body: (Transaction) async throws -> Result
    ) async throws -> Result {
        var retries = 0
        while true {
            let connection = try await acquire()
            let transaction = Transaction(on: connection)
            do {
                try await transaction.begin(limit: limit)
                let result = try await body(transaction)
                try await transaction.commit()
                release(connection)
                return result
            } catch {
                await transaction.rollback()
                release(connection)
                guard let reason = transaction.reasonToRunAgain else { throw error }
                retries += 1
                try await prepareRetry(retries, after: reason)
            }
        }
    }
}
