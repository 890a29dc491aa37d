/// Markup that is safe to send.
///
/// Only a literal in the source becomes markup; every string put into it is escaped for element content and quoted
/// attributes, so a page cannot forget to. Attributes in literals are therefore always written with double quotes, and
/// addresses go through ``WebAddress``, since escaping alone does not make a `javascript:` address harmless.
public struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The markup as it goes to the browser.
    public private(set) var text: String

    public init(stringLiteral value: StaticString) {
        text = value.description
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Joins parts without anything between them.
    public init(_ parts: [HTML]) {
        text = parts.reduce(into: "") { $0 += $1.text }
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text: String

        public init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        /// Escapes.
        public mutating func appendInterpolation(_ value: String) { text += escapeHTML(value) }
        /// Markup stays markup; nothing when there is none.
        public mutating func appendInterpolation(_ part: HTML?) { text += part?.text ?? "" }
        public mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }
    }
}

/// Escapes for element content and quoted attributes.
///
/// Control characters that HTML forbids become U+FFFD; a carriage return is written as a reference, because parsers turn
/// a bare one into a line feed.
public func escapeHTML(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\r": result += "&#13;"
        case "\t", "\n": result.unicodeScalars.append(scalar)
        case "\0"..<" ", "\u{7F}"..."\u{9F}": result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
