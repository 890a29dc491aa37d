/// The waiting times between attempts to connect: from 50 ms, doubled up to 2 s, each cut by up to a half at random so
/// that nodes do not come back all at the same moment.
struct Backoff {
    private var failures = 0

    /// The time to wait before the next attempt.
    mutating func next() -> Duration {
        let full = min(50 << min(failures, 6), 2000)
        failures += 1
        return .milliseconds(Int.random(in: full / 2...full))
    }

    /// The last attempt succeeded.
    mutating func reset() { failures = 0 }
}
