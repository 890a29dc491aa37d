import ASCII

/// An absolute URI (RFC 3986 §4.3, a fragment allowed) taken apart without changing a byte of it.
///
/// Stricter than the RFC where that only helps: no user information, no percent escapes or odd characters in a host,
/// a port only as a browser would write it.
struct AbsoluteURI: Sendable {
    /// As written.
    let scheme: String
    /// nil when there is no `//`, as in `com.example.app:/cb`.
    let authority: Authority?
    let path: String
    let query: String?
    let fragment: String?

    struct Authority: Sendable {
        /// As written; an IPv6 address with its brackets.
        let host: String
        let port: Int?
    }

    /// What is wrong, as the end of a sentence about the URI; holds nothing of the URI.
    struct Problem: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        try AbsoluteURI.checkCharacters(bytes)
        var rest = bytes[...]

        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), AbsoluteURI.isScheme(rest[..<colon]) else {
            throw Problem(
                "must be absolute: a scheme of letters, digits, +, - and . that begins with a letter, then a colon")
        }
        scheme = String(decoding: rest[..<colon], as: UTF8.self)
        rest = rest[(colon + 1)...]

        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(decoding: rest[(hash + 1)...], as: UTF8.self)
            rest = rest[..<hash]
        } else {
            fragment = nil
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
            rest = rest[..<mark]
        } else {
            query = nil
        }
        if rest.starts(with: "//".utf8) {
            let afterSlashes = rest.dropFirst(2)
            let end = afterSlashes.firstIndex(of: UInt8(ascii: "/")) ?? afterSlashes.endIndex
            authority = try AbsoluteURI.authority(afterSlashes[..<end])
            rest = afterSlashes[end...]
        } else {
            authority = nil
        }
        guard !rest.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else {
            throw Problem("must not hold [ or ] outside an IPv6 host")
        }
        path = String(decoding: rest, as: UTF8.self)
        for part in [query, fragment] {
            guard let part, part.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else {
                continue
            }
            throw Problem("must not hold [ or ] outside an IPv6 host")
        }
    }

    /// Whether the host is this machine itself: 127.0.0.1, ::1, or `localhost`, exactly so written.
    var isLoopback: Bool {
        guard let host = authority?.host else { return false }
        return host == "127.0.0.1" || host == "[::1]" || host == "localhost"
    }

    /// Whether a segment of the path is `.` or `..`, escaped or not: browsers remove those before they go anywhere.
    var hasDotSegments: Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { segment in
            let text = String(decoding: segment, as: UTF8.self).lowercased()
            return [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"].contains(text)
        }
    }

    // MARK: Steps

    /// RFC 3986 §2: printable ASCII but for ``space " < > \ ^ ` { | }``, and whole percent escapes.
    private static func checkCharacters(_ bytes: [UInt8]) throws(Problem) {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x00...0x1F, 0x7F: throw Problem("must not hold control characters")
            case 0x20: throw Problem("must not hold spaces")
            case 0x80...: throw Problem("must be ASCII; write other characters as percent escapes")
            case UInt8(ascii: "\\"): throw Problem("must not hold a backslash")
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
                UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                throw Problem("holds a character that RFC 3986 does not allow in a URI")
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else { throw Problem("holds a bad percent escape") }
            default: break
            }
        }
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, ASCII.isLetter(first) else { return false }
        return bytes.allSatisfy {
            ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        }
    }

    private static func authority(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Authority {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw Problem("must not hold user information (@)") }
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), isIPv6(bytes[..<bracket].dropFirst()) else {
                throw Problem("has a bad IPv6 host")
            }
            hostEnd = bracket + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            try checkHostName(bytes[..<hostEnd])
        }
        let host = String(decoding: bytes[..<hostEnd], as: UTF8.self)
        let behind = bytes[hostEnd...]
        if behind.isEmpty { return Authority(host: host, port: nil) }
        guard behind.first == UInt8(ascii: ":"), let port = port(behind.dropFirst()) else {
            throw Problem("has a bad port: 1 to 65535 without leading zeros")
        }
        return Authority(host: host, port: port)
    }

    /// 1 to 65535 in decimal digits without leading zeros.
    static func port(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"), digits.allSatisfy(ASCII.isDigit) else {
            return nil
        }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return value <= 65535 ? value : nil
    }

    private static func checkHostName(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        guard !bytes.isEmpty else { throw Problem("needs a host") }
        guard bytes.count <= 253 else { throw Problem("has too long a host") }
        guard !bytes.contains(UInt8(ascii: "*")) else { throw Problem("must not hold wildcards") }
        let isLegal = bytes.allSatisfy {
            ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                || $0 == UInt8(ascii: "_")
        }
        guard isLegal else { throw Problem("has a host with characters other than letters, digits, - and .") }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { throw Problem("has a host with an empty label") }
    }

    /// Up to eight groups of one to four hexadecimal digits, at most one `::`. An embedded IPv4 tail is not taken.
    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard
            groups.allSatisfy({ $0.count <= 4 && $0.allSatisfy { ASCII.hexValue($0) != nil } })
        else { return false }
        let empty = groups.indices.filter { groups[$0].isEmpty }
        let filled = groups.count - empty.count
        if empty.isEmpty { return filled == 8 }
        // `::` is one empty group in the middle, two at an end, three when it stands alone.
        let atStart = groups[0].isEmpty
        let atEnd = groups[groups.count - 1].isEmpty
        let expected: [Int]
        switch (atStart, atEnd) {
        case (true, true): expected = [0, 1, 2]
        case (true, false): expected = [0, 1]
        case (false, true): expected = [groups.count - 2, groups.count - 1]
        case (false, false): expected = [empty[0]]
        }
        return empty == expected && filled <= 7 && (!(atStart && atEnd) || groups.count == 3)
    }
}
