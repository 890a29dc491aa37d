import Glibc

/// A moment of the system's monotonic clock, in nanoseconds: for deadlines and ages.
public struct MonotonicTime: Comparable, Sendable {
    private let nanoseconds: Int64

    public static let never = MonotonicTime(nanoseconds: .max)

    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public func advanced(by duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        return MonotonicTime(nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    public func duration(since start: MonotonicTime) -> Duration { .nanoseconds(nanoseconds - start.nanoseconds) }

    package func microseconds(since start: MonotonicTime) -> Int64 { (nanoseconds - start.nanoseconds) / 1000 }

    public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
