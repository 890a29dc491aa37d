/// The parameters of a form or query, each decoded exactly once (RFC 6749 App. B, WHATWG URL form).
///
/// A parameter with an empty value counts as missing (RFC 6749 §3.1); a parameter with an empty name is ignored.
public struct Parameters: Sendable {
    /// What is wrong with a form, without repeating any of it.
    public struct SyntaxError: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// More than any request of ours needs; a bound for the work of one request.
    public static let countLimit = 100

    private struct Entry {
        let name: String
        let value: String
    }

    private var entries: [Entry] = []

    /// Names that occurred more than once, empty values included.
    public private(set) var repeated: Set<String> = []

    /// - Throws: on a bad percent escape, on bytes that are no UTF-8, on NUL (U+0000) in a name or value, and on more
    ///   than 100 parameters.
    public init(formEncoded bytes: some Collection<UInt8>) throws(SyntaxError) {
        // One copy, so that the loop below is not a generic one for callers in other modules.
        try self.init(Array(bytes))
    }

    private init(_ bytes: [UInt8]) throws(SyntaxError) {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            let pair = bytes[start..<end]
            start = end + 1
            if pair.isEmpty { continue }
            let equalsSign = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try FormCoding.decode(pair[..<equalsSign])
            let value = try FormCoding.decode(pair[equalsSign...].dropFirst())
            if name.isEmpty { continue }
            guard entries.count < Parameters.countLimit else {
                throw SyntaxError(description: "there are more than \(Parameters.countLimit) parameters")
            }
            if entries.contains(where: { $0.name.isIdentical(to: name) }) { repeated.insert(name) }
            entries.append(Entry(name: name, value: value))
        }
    }

    /// All names that were sent, in order.
    public var names: [String] { entries.map(\.name) }

    /// The value; nil when missing or empty. For a repeated one, the first non-empty.
    public subscript(name: String) -> String? {
        for entry in entries where !entry.value.isEmpty && entry.name.isIdentical(to: name) {
            return entry.value
        }
        return nil
    }

    /// Encodes as a form: spaces as `%20`, so that the text also serves in a query.
    public static func encode(_ parameters: [(String, String)]) -> String {
        var bytes: [UInt8] = []
        for (name, value) in parameters {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            FormCoding.encode(name, into: &bytes)
            bytes.append(UInt8(ascii: "="))
            FormCoding.encode(value, into: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Throws: invalid_request if one of the names occurred more than once (RFC 6749 §3.1, §3.2). Other names are not
    ///   ours to judge: unknown parameters are ignored, however often they come.
    func refuseRepeats(of names: [String]) throws(OAuthError) {
        if repeated.isEmpty { return }
        for name in names where repeated.contains(name) {
            throw OAuthError(.invalidRequest, "\(name) must not be repeated")
        }
    }
}
