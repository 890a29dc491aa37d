import Glibc
import Telemetry

/// Spans of time as people type them: `90d`, `12h`, `30m`.
enum TimeSpan {
    private static let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86400, "w": 7 * 86400]
    /// Ten years: whoever wants longer wants no end.
    private static let limit: Int64 = 3650 * 86400

    /// - Returns: seconds; nil when it is none, or not from a minute to ten years.
    static func seconds(_ text: String) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }), case let digits = text.dropLast(),
            !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits),
            (1...limit / unit).contains(number)
        else { return nil }
        return number * unit
    }

    /// A moment that an option names: an RFC 3339 time, or a span before now.
    /// - Returns: Unix seconds; nil without the option.
    static func past(_ option: String, _ invocation: Invocation) throws(UsageError) -> Int64? {
        guard let text = invocation.value(option) else { return nil }
        if let moment = Timestamp.unixSeconds(of: text) { return moment }
        guard let seconds = seconds(text) else {
            throw UsageError("--\(option) must be such as 2026-01-31T12:00:00Z, 24h or 7d, not \(quoted(text))")
        }
        return Int64(time(nil)) - seconds
    }

    /// When the span that an option holds is over.
    /// - Returns: Unix seconds; nil without the option.
    static func end(_ option: String, _ invocation: Invocation) throws(UsageError) -> Int64? {
        guard let text = invocation.value(option) else { return nil }
        guard let seconds = seconds(text) else {
            throw UsageError("--\(option) must be such as 90d, 12h or 30m, at most 3650d, not \(quoted(text))")
        }
        return Int64(time(nil)) + seconds
    }
}
