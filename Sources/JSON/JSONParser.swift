import ASCII

/// A recursive-descent reader of RFC 8259 texts. The text goes along as an argument, since a struct that holds a `Span`
/// needs experimental features; its reads are checked against its bounds.
struct JSONParser {
    private var position = 0
    private var depth = 0

    static func parse(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> JSON {
        var parser = JSONParser()
        parser.skipWhitespace(text)
        let value = try parser.value(text)
        parser.skipWhitespace(text)
        guard parser.position == text.count else { throw parser.error("something behind the value") }
        return value
    }

    private func error(_ reason: String, at offset: Int? = nil) -> JSON.SyntaxError {
        JSON.SyntaxError(reason: reason, offset: offset ?? position)
    }

    private func peek(_ text: Span<UInt8>) -> UInt8? {
        position < text.count ? text[position] : nil
    }

    private mutating func skipWhitespace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func value(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> JSON {
        guard let first = peek(text) else { throw error("value missing") }
        switch first {
        case UInt8(ascii: "\""): return .string(try string(text))
        case UInt8(ascii: "{"): return try object(text)
        case UInt8(ascii: "["): return try array(text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(text)
        case UInt8(ascii: "t"): return try literal("true", .bool(true), text)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), text)
        case UInt8(ascii: "n"): return try literal("null", .null, text)
        default: throw error("no value begins so")
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON, _ text: Span<UInt8>) throws(JSON.SyntaxError)
        -> JSON
    {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard peek(text) == word.utf8Start[index] else { throw error("no value begins so", at: start) }
            position += 1
        }
        return value
    }

    // MARK: Objects and arrays

    private mutating func enter() throws(JSON.SyntaxError) {
        depth += 1
        guard depth <= JSON.maximumDepth else { throw error("nested too deeply") }
        position += 1
    }

    private mutating func leave() {
        depth -= 1
        position += 1
    }

    private mutating func array(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> JSON {
        try enter()
        skipWhitespace(text)
        var elements: [JSON] = []
        if peek(text) == UInt8(ascii: "]") {
            leave()
            return .array(elements)
        }
        while true {
            skipWhitespace(text)
            elements.append(try value(text))
            skipWhitespace(text)
            switch peek(text) {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "]"):
                leave()
                return .array(elements)
            default: throw error("',' or ']' expected")
            }
        }
    }

    private mutating func object(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> JSON {
        try enter()
        skipWhitespace(text)
        var members: [JSON.Member] = []
        var names = SeenNames()
        if peek(text) == UInt8(ascii: "}") {
            leave()
            return .object(members)
        }
        while true {
            skipWhitespace(text)
            let start = position
            guard peek(text) == UInt8(ascii: "\"") else { throw error("member name expected") }
            let name = try string(text)
            // Two readers may disagree about which of two equal names counts, so neither does (RFC 8259 §4, RFC 7515 §4).
            guard names.insert(name, besides: members) else { throw error("repeated member name", at: start) }
            skipWhitespace(text)
            guard peek(text) == UInt8(ascii: ":") else { throw error("':' expected") }
            position += 1
            skipWhitespace(text)
            members.append(JSON.Member(name, try value(text)))
            skipWhitespace(text)
            switch peek(text) {
            case UInt8(ascii: ","): position += 1
            case UInt8(ascii: "}"):
                leave()
                return .object(members)
            default: throw error("',' or '}' expected")
            }
        }
    }

    /// Finds repeated names: by looking through the members while they are few, by a set of bytes when they are many
    /// (so that a long object does not cost quadratic time).
    private struct SeenNames {
        private static let few = 32
        private var set: Set<[UInt8]> = []

        /// Whether `name` is new.
        mutating func insert(_ name: String, besides members: [JSON.Member]) -> Bool {
            if members.count < Self.few {
                return !members.contains { $0.name.hasSameBytes(as: name) }
            }
            if set.isEmpty {
                for member in members { set.insert(Array(member.name.utf8)) }
            }
            return set.insert(Array(name.utf8)).inserted
        }
    }

    // MARK: Strings

    private mutating func string(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> String {
        let quote = position
        position += 1
        let start = position
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                let end = position
                position += 1
                return try validated(text.extracting(start..<end), from: quote)
            case UInt8(ascii: "\\"):
                return try escapedString(text, from: start)
            case 0..<0x20: throw error("control character in a string")
            default: position += 1
            }
        }
        throw error("string without end", at: quote)
    }

    /// The rest of a string that has escapes; `position` is at the first backslash.
    private mutating func escapedString(_ text: Span<UInt8>, from start: Int) throws(JSON.SyntaxError) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(position - start + 32)
        for index in start..<position { bytes.append(text[index]) }
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                // An escape stands for whole characters, so it cannot complete a broken sequence beside it: checking
                // the result equals checking the parts.
                return try validated(bytes.span, from: start - 1)
            case UInt8(ascii: "\\"):
                try escape(text, into: &bytes)
            case 0..<0x20: throw error("control character in a string")
            default:
                bytes.append(byte)
                position += 1
            }
        }
        throw error("string without end", at: start - 1)
    }

    private mutating func escape(_ text: Span<UInt8>, into bytes: inout [UInt8]) throws(JSON.SyntaxError) {
        let start = position
        position += 1
        guard let kind = peek(text) else { throw error("string without end") }
        position += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(kind)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            let first = try fourHexDigits(text)
            var scalar = first
            if first & 0xFC00 == 0xD800 {
                guard position + 1 < text.count, text[position] == UInt8(ascii: "\\"),
                    text[position + 1] == UInt8(ascii: "u")
                else { throw error("half of a surrogate pair", at: start) }
                position += 2
                let second = try fourHexDigits(text)
                guard second & 0xFC00 == 0xDC00 else { throw error("half of a surrogate pair", at: start) }
                scalar = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
            }
            guard let character = Unicode.Scalar(scalar) else { throw error("half of a surrogate pair", at: start) }
            bytes.append(contentsOf: String(character).utf8)
        default: throw error("no such escape", at: start)
        }
    }

    private mutating func fourHexDigits(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek(text).flatMap(ASCII.hexValue) else {
                throw error("four hexadecimal digits expected")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private func validated(_ bytes: Span<UInt8>, from offset: Int) throws(JSON.SyntaxError) -> String {
        let characters: UTF8Span
        do {
            characters = try UTF8Span(validating: bytes)
        } catch {
            throw self.error("string is not UTF-8", at: offset)
        }
        return String(copying: characters)
    }

    // MARK: Numbers

    private mutating func number(_ text: Span<UInt8>) throws(JSON.SyntaxError) -> JSON {
        let start = position
        let isNegative = peek(text) == UInt8(ascii: "-")
        if isNegative { position += 1 }

        var magnitude: UInt64 = 0
        var fits = true
        let firstDigit = position
        while let digit = digit(text) {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { fits = false }
            magnitude = sum
            position += 1
        }
        guard position > firstDigit else { throw error("digit expected") }
        if position - firstDigit > 1, text[firstDigit] == UInt8(ascii: "0") {
            throw error("number with a leading zero", at: start)
        }

        var isWhole = true
        if peek(text) == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try digits(text)
        }
        if let mark = peek(text), mark | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if let sign = peek(text), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try digits(text)
        }

        if isWhole, fits {
            if !isNegative, magnitude <= UInt64(Int64.max) { return .integer(Int64(magnitude)) }
            if isNegative, magnitude > 0, magnitude <= UInt64(Int64.max) + 1 {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
        }
        let spelling = try validated(text.extracting(start..<position), from: start)
        guard let value = Double(spelling), value.isFinite else { throw error("number out of range", at: start) }
        return .number(value)
    }

    private func digit(_ text: Span<UInt8>) -> UInt8? {
        guard let byte = peek(text), ASCII.isDigit(byte) else { return nil }
        return byte - 0x30
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSON.SyntaxError) {
        guard digit(text) != nil else { throw error("digit expected") }
        while digit(text) != nil { position += 1 }
    }
}
