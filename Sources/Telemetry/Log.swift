import Glibc
import JSON
import Synchronization

/// One JSON object a line on standard error: `time` (RFC 3339, UTC, milliseconds), `level`, `event`, then the fields.
///
/// A secret, token, code, cookie or password is never a field; nor is a query string.
public enum Log {
    public enum Level: Int, Sendable { case debug, info, warning, error }

    private static let standardError = LogOutput(descriptor: STDERR_FILENO)
    private static let minimumLevel = Atomic(Level.info.rawValue)

    /// Writes a line, unless `level` is below the minimum. Lines of threads do not mix.
    ///
    /// A line that standard error does not take (closed, or a full pipe that nobody empties) is dropped: serving comes
    /// before logging. The process is expected to ignore SIGPIPE.
    public static func write(_ level: Level, _ event: StaticString, _ fields: [JSON.Member] = []) {
        guard isWritten(level) else { return }
        standardError.write(line(level, event, fields, at: .now))
    }

    public static func debug(_ event: StaticString, _ fields: [JSON.Member] = []) { write(.debug, event, fields) }
    public static func info(_ event: StaticString, _ fields: [JSON.Member] = []) { write(.info, event, fields) }
    public static func warning(_ event: StaticString, _ fields: [JSON.Member] = []) { write(.warning, event, fields) }
    public static func error(_ event: StaticString, _ fields: [JSON.Member] = []) { write(.error, event, fields) }

    /// Set once at start, from `SELEID_LOG_LEVEL`. Before that it is `info`.
    public static func setMinimumLevel(_ level: Level) {
        minimumLevel.store(level.rawValue, ordering: .relaxed)
    }

    /// Whether a line of this level is written: to skip making fields that nobody reads.
    public static func isWritten(_ level: Level) -> Bool {
        level.rawValue >= minimumLevel.load(ordering: .relaxed)
    }

    static func line(_ level: Level, _ event: StaticString, _ fields: [JSON.Member], at time: timespec) -> [UInt8] {
        var line = JSONObjectWriter(capacity: 256)
        line.add("time", Timestamp.text(of: time))
        line.add("level", level.name)
        line.add("event", event.description)
        for field in fields { line.add(field.name, field.value) }
        return line.finish() + [UInt8(ascii: "\n")]
    }
}

extension Log.Level {
    /// As it stands in a line, and in `SELEID_LOG_LEVEL`.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    public init?(name: String) {
        guard let level = [.debug, .info, .warning, .error].first(where: { (level: Self) in level.name == name }) else {
            return nil
        }
        self = level
    }
}
