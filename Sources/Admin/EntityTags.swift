import HTTP

/// What `If-Match` or `If-None-Match` names (RFC 9110 §8.8.3, §13.1.1, §13.1.2).
struct EntityTags: Sendable, Equatable {
    private struct Tag: Equatable {
        let isWeak: Bool
        /// With its quotes.
        let text: String
    }
    /// nil: `*`, whatever there is.
    private let tags: [Tag]?

    /// From all fields of that name; nil when there is none.
    /// - Throws: `Problem`: a condition that cannot be read must not be taken for one that holds.
    init?(_ name: String, of headers: Headers) throws(Problem) {
        let fields = headers.all(name)
        guard !fields.isEmpty else { return nil }
        let text = fields.joined(separator: ",")
        if Self.trimmed(Substring(text).utf8) == "*" {
            tags = nil
        } else if let tags = Self.list(text) {
            self.tags = tags
        } else {
            throw Problem(.badRequest, "\(name): must be * or a list of entity tags, each in quotes")
        }
    }

    /// `If-Match`: the strong comparison, for which a weak tag is equal to nothing.
    func match(_ tag: String) -> Bool { tags?.contains { !$0.isWeak && $0.text == tag } ?? true }

    /// `If-None-Match`: the weak comparison.
    func matchWeakly(_ tag: String) -> Bool { tags?.contains { $0.text == tag } ?? true }

    /// nil when it is none.
    private static func list(_ text: String) -> [Tag]? {
        var tags: [Tag] = []
        var rest = Substring(text).utf8
        while true {
            // RFC 9110 §5.6.1.2: empty elements are passed over.
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return tags.isEmpty ? nil : tags }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let tag = rest[...end]
            guard tag.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            tags.append(Tag(isWeak: isWeak, text: String(Substring(tag))))
            rest = rest[rest.index(after: end)...].drop(while: isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        let start = bytes.drop(while: isBlank)
        return String(decoding: start.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
