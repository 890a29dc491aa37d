import ASCII
import Glibc

/// The Date field of answers (RFC 9110 §5.6.7, §6.6.1), rendered once a second.
struct DateField {
    private var second: time_t = -1
    private var line: [UInt8] = []

    /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` with its line end.
    mutating func bytes(at now: time_t = time(nil)) -> [UInt8] {
        if now != second {
            second = now
            line = Self.render(now)
        }
        return line
    }

    private static let days: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func render(_ moment: time_t) -> [UInt8] {
        var moment = moment
        var time = tm()
        gmtime_r(&moment, &time)
        var line: [UInt8] = []
        line.append("Date: ")
        line.append(days[Int(time.tm_wday)])
        line.append(", ")
        line.append(twoDigits: time.tm_mday)
        line.append(" ")
        line.append(months[Int(time.tm_mon)])
        line.append(" ")
        line.append(decimal: Int64(time.tm_year) + 1900)
        line.append(" ")
        line.append(twoDigits: time.tm_hour)
        line.append(":")
        line.append(twoDigits: time.tm_min)
        line.append(":")
        line.append(twoDigits: time.tm_sec)
        line.append(" GMT\r\n")
        return line
    }
}

extension Array where Element == UInt8 {
    fileprivate mutating func append(twoDigits number: Int32) {
        append(UInt8(number / 10) + 0x30)
        append(UInt8(number % 10) + 0x30)
    }
}
