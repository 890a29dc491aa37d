/// A strict reader of the markup these pages are written in: every start tag has its end tag (but for void elements), all
/// attributes are quoted, and no bare `<` or `&` stands anywhere.
struct Markup {
    struct Element: Equatable {
        var name: String
        var attributes: [String: String]
    }
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var elements: [Element] = []
    /// Element content, references resolved.
    private(set) var text = ""

    private static let void: Set<String> = ["meta", "link", "img", "input", "br"]

    init(_ source: String) throws {
        guard source.hasPrefix("<!DOCTYPE html>\n") else { throw Problem(description: "no doctype") }
        var rest = source.dropFirst("<!DOCTYPE html>\n".count)
        var open: [String] = []
        while !rest.isEmpty {
            let content = rest.prefix { $0 != "<" }
            text += try Self.resolve(content)
            rest = rest.dropFirst(content.count)
            guard rest.first == "<" else { break }
            rest = rest.dropFirst()
            if rest.first == "/" {
                let name = String(rest.dropFirst().prefix { $0 != ">" })
                guard open.popLast() == name else { throw Problem(description: "stray </\(name)>") }
                rest = rest.dropFirst(name.count + 2)
                continue
            }
            let element = try Self.startTag(&rest)
            elements.append(element)
            if !Self.void.contains(element.name) { open.append(element.name) }
        }
        guard open.isEmpty else { throw Problem(description: "not closed: \(open)") }
    }

    /// Reads `name attribute="value" flag>`.
    private static func startTag(_ rest: inout Substring) throws -> Element {
        let name = String(rest.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber) })
        guard !name.isEmpty else { throw Problem(description: "bare <") }
        rest = rest.dropFirst(name.count)
        var attributes: [String: String] = [:]
        while rest.first != ">" {
            guard rest.first == " " else { throw Problem(description: "bad tag \(name): \(rest.prefix(20))") }
            rest = rest.dropFirst()
            let attribute = String(rest.prefix { $0.isASCII && ($0.isLowercase || $0 == "-") })
            guard !attribute.isEmpty else { throw Problem(description: "bad attribute in \(name): \(rest.prefix(20))") }
            rest = rest.dropFirst(attribute.count)
            var value = ""
            if rest.hasPrefix("=\"") {
                let quoted = rest.dropFirst(2).prefix { $0 != "\"" }
                guard !quoted.contains("<"), !quoted.contains(">") else {
                    throw Problem(description: "bare <> in value")
                }
                value = try resolve(quoted)
                rest = rest.dropFirst(quoted.count + 3)
            }
            guard attributes.updateValue(value, forKey: attribute) == nil else {
                throw Problem(description: "\(attribute) twice in \(name)")
            }
        }
        rest = rest.dropFirst()
        return Element(name: name, attributes: attributes)
    }

    private static func resolve(_ text: Substring) throws -> String {
        let references = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'", "#13": "\r"]
        var parts = text.split(separator: "&", omittingEmptySubsequences: false)[...]
        var result = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstIndex(of: ";"), let value = references[String(part[..<end])] else {
                throw Problem(description: "bare & before \(part.prefix(10))")
            }
            result += value + part[part.index(after: end)...]
        }
        return result
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }
}
