import ASCII

/// A path with segments in braces, such as `/things/{id}`.
struct PathTemplate: Sendable {
    private let segments: [Substring]

    init(_ path: String) { segments = PathTemplate.segments(of: path) }

    /// What stands between the slashes of a path; split once for all templates that it is compared with.
    static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// What the braces take from a path, percent-decoded; nil when the path is another one. A segment in braces takes at least
    /// one character, and none that is no UTF-8.
    func match(_ sent: [Substring]) -> [String: String]? {
        guard sent.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, sent) {
            if segment.first == "{", segment.last == "}" {
                guard let value = PathTemplate.decode(text), !value.isEmpty else { return nil }
                parameters[String(segment.dropFirst().dropLast())] = value
            } else if !segment.utf8.elementsEqual(text.utf8) {
                return nil
            }
        }
        return parameters
    }

    /// Each escape once; the reader of requests has seen to it that they are well-formed.
    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(ASCII.hexValue), let low = rest.popFirst().flatMap(ASCII.hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
