import Glibc
import Synchronization

/// RFC 3339 times in UTC, to the millisecond.
public enum Timestamp {
    /// - Parameter seconds: since 1970.
    public static func text(ofUnixSeconds seconds: Int64) -> String {
        String(decoding: wholeSeconds(Int(seconds)), as: UTF8.self) + "Z"
    }

    /// The text of the second last written, without what is behind the seconds: lines come many to a second.
    private static let last = Mutex<(second: Int, text: [UInt8])>((Int.min, []))

    static func text(of time: timespec) -> String {
        var text = last.withLock { last in
            if last.second != time.tv_sec { last = (time.tv_sec, wholeSeconds(time.tv_sec)) }
            return last.text
        }
        let milliseconds = time.tv_nsec / 1_000_000
        text.append(UInt8(ascii: "."))
        text.append(digit(milliseconds / 100))
        text.append(digit(milliseconds / 10))
        text.append(digit(milliseconds))
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// `2026-01-31T23:59:59`
    private static func wholeSeconds(_ second: Int) -> [UInt8] {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        var text: [UInt8] = []
        func add(_ value: Int32, digits: Int, then mark: String) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                text.append(digit(Int(value) / divisor))
                divisor /= 10
            }
            text.append(contentsOf: mark.utf8)
        }
        add(parts.tm_year + 1900, digits: 4, then: "-")
        add(parts.tm_mon + 1, digits: 2, then: "-")
        add(parts.tm_mday, digits: 2, then: "T")
        add(parts.tm_hour, digits: 2, then: ":")
        add(parts.tm_min, digits: 2, then: ":")
        add(parts.tm_sec, digits: 2, then: "")
        return text
    }

    private static func digit(_ value: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(value % 10) }
}
