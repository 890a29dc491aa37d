import ASCII

extension JSON {
    /// Compact UTF-8 text. `pretty` puts each member on a line, indented by two spaces.
    ///
    /// A number that JSON cannot say (infinite, not a number) becomes `null`, as in JavaScript.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendJSON(self, indentation: pretty ? 0 : nil)
        return bytes
    }
}

extension [UInt8] {
    /// `indentation` is the level the value stands at; nil for compact text.
    mutating func appendJSON(_ value: JSON, indentation: Int?) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(decimal: value)
        case .number(let value):
            if value.isFinite { append(contentsOf: value.description.utf8) } else { append("null") }
        case .string(let value): appendJSONString(value)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendLineBreak(indentation.map { $0 + 1 })
                appendJSON(element, indentation: indentation.map { $0 + 1 })
            }
            if !elements.isEmpty { appendLineBreak(indentation) }
            append(UInt8(ascii: "]"))
        case .object(let members):
            append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendLineBreak(indentation.map { $0 + 1 })
                appendJSONString(member.name)
                append(UInt8(ascii: ":"))
                if indentation != nil { append(UInt8(ascii: " ")) }
                appendJSON(member.value, indentation: indentation.map { $0 + 1 })
            }
            if !members.isEmpty { appendLineBreak(indentation) }
            append(UInt8(ascii: "}"))
        }
    }

    private mutating func appendLineBreak(_ indentation: Int?) {
        guard let indentation else { return }
        append(UInt8(ascii: "\n"))
        append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * 2))
    }

    /// Quoted; escapes what must be (quote, backslash, control characters) and nothing else.
    mutating func appendJSONString(_ text: String) {
        append(UInt8(ascii: "\""))
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        if done == nil { Array(text.utf8).withUnsafeBufferPointer { appendEscaped($0) } }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var run = 0
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(contentsOf: UnsafeBufferPointer(rebasing: text[run..<index]))
            run = index + 1
            append(UInt8(ascii: "\\"))
            switch byte {
            case 0x08: append(UInt8(ascii: "b"))
            case 0x09: append(UInt8(ascii: "t"))
            case 0x0A: append(UInt8(ascii: "n"))
            case 0x0C: append(UInt8(ascii: "f"))
            case 0x0D: append(UInt8(ascii: "r"))
            case 0..<0x20:
                append(byte < 0x10 ? "u000" : "u001")
                let digit = byte & 0xF
                append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            default: append(byte)
            }
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: text[run...]))
    }
}
