extension Timestamp {
    /// Reads an RFC 3339 time of any offset; fractions of a second are cut off, and a leap second counts as the one after it.
    /// - Returns: seconds since 1970; nil when it is none.
    public static func unixSeconds(of text: String) -> Int64? {
        var rest = text.utf8[...]
        guard let year = number(&rest, digits: 4), skip("-", in: &rest), let month = number(&rest, digits: 2),
            skip("-", in: &rest), let day = number(&rest, digits: 2), skip("Tt ", in: &rest),
            let hour = number(&rest, digits: 2), skip(":", in: &rest), let minute = number(&rest, digits: 2),
            skip(":", in: &rest), let second = number(&rest, digits: 2), skipFraction(in: &rest),
            let offset = offset(&rest), rest.isEmpty,
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return writable.contains(seconds) ? seconds : nil
    }

    /// Those whose years in UTC have four digits.
    private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// One of the characters.
    private static func skip(_ characters: StaticString, in rest: inout Substring.UTF8View) -> Bool {
        guard let first = rest.first, characters.description.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// False for a point without digits behind it.
    private static func skipFraction(in rest: inout Substring.UTF8View) -> Bool {
        guard skip(".", in: &rest) else { return true }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        if skip("Zz", in: &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+-", in: &rest), let hours = number(&rest, digits: 2), skip(":", in: &rest),
            let minutes = number(&rest, digits: 2), hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Of the Gregorian calendar: years of 365.2425 days that begin in March, so that the odd day comes last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
