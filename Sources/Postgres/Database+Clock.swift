import Glibc

extension Database {
    private static let clock = Statement(
        "seleid clock", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")

    /// The database's clock minus this machine's, in milliseconds, measured with half the round trip taken off.
    public func clockOffset() async throws(DatabaseError) -> Int64 {
        let before = Database.wallClock()
        let rows = try await query(Database.clock)
        let after = Database.wallClock()
        guard let row = rows.first else { throw .unavailable(detail: "the server answered no time") }
        return row.int(0) - (before + (after - before) / 2)
    }

    /// Unix milliseconds.
    private static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
