import Postgres

/// How often signing in has failed lately, per keyed hash of whatever is counted.
public struct SignInFailureStore: Sendable {
    public let database: Database
    public init(database: Database) { self.database = database }

    private static let findStatement = Statement(
        "sign_in_failures_find",
        """
        SELECT key, failures, extract(epoch FROM now() - last_failed_at)::bigint FROM sign_in_failures
        WHERE key IN ($1, $2) AND last_failed_at > now() - interval '1 day'
        """)

    /// The failures of the last day under two keys: how many, and the seconds since the last one.
    public func find(
        _ first: [UInt8], _ second: [UInt8]
    ) async throws(DatabaseError) -> (first: (count: Int64, age: Int64), second: (count: Int64, age: Int64)) {
        let rows = try await database.query(Self.findStatement, [.bytes(first), .bytes(second)])
        var result: (first: (count: Int64, age: Int64), second: (count: Int64, age: Int64)) = ((0, 0), (0, 0))
        for row in rows {
            if row.bytes(0) == first { result.first = (row.int(1), row.int(2)) }
            if row.bytes(0) == second { result.second = (row.int(1), row.int(2)) }
        }
        return result
    }

    private static let addStatement = Statement(
        "sign_in_failures_add",
        """
        INSERT INTO sign_in_failures AS f (key) VALUES ($1)
        ON CONFLICT (key) DO UPDATE SET last_failed_at = now(),
            failures = CASE WHEN f.last_failed_at > now() - interval '1 day' THEN f.failures + 1 ELSE 1 END
        RETURNING failures
        """)

    /// Counts a failure.
    /// - Returns: how many of the last day there are with this one; of several at once each is told another number.
    public func add(_ key: [UInt8]) async throws(DatabaseError) -> Int64 {
        try await database.query(Self.addStatement, [.bytes(key)])[0].int(0)
    }

    private static let takeBackStatement = Statement(
        "sign_in_failures_take_back",
        """
        UPDATE sign_in_failures SET failures = failures - 1, last_failed_at = last_failed_at - interval '15 minutes'
        WHERE key = $1 AND failures > 0
        """)

    /// Takes back one that was counted and then not tried; nobody has to wait for it.
    public func takeBack(_ key: [UInt8]) async throws(DatabaseError) {
        _ = try await database.query(Self.takeBackStatement, [.bytes(key)])
    }

    private static let clearStatement = Statement(
        "sign_in_failures_clear", "DELETE FROM sign_in_failures WHERE key = $1")

    /// Forgets the failures under a key, after a success.
    public func clear(_ key: [UInt8]) async throws(DatabaseError) {
        _ = try await database.query(Self.clearStatement, [.bytes(key)])
    }
}
