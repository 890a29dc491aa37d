/// A JSON value as RFC 8259 has it; members keep their order.
public enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent that fits.
    case integer(Int64)
    /// Every other number: with fraction or exponent, too large for `Int64`, or `-0`.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: JSON
        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Why a text is not JSON; the offset is in bytes.
    public struct SyntaxError: Error, CustomStringConvertible, Equatable {
        public let reason: String
        public let offset: Int
        public var description: String { "\(reason) at byte \(offset)" }
        public init(reason: String, offset: Int) {
            self.reason = reason
            self.offset = offset
        }
    }

    /// How deep arrays and objects may be nested in a text that is read.
    public static let maximumDepth = 64

    /// Reads one strict JSON text: UTF-8, no repeated member in an object, at most 64 levels deep, nothing behind it.
    public init(parsing bytes: some Collection<UInt8>) throws(SyntaxError) {
        let fast = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(SyntaxError) in try JSONParser.parse(buffer.span) }
        }
        if let fast {
            self = try fast.get()
        } else {
            let copy = Array(bytes)
            self = try JSONParser.parse(copy.span)
        }
    }

    /// The member of an object; nil for other values and for absent members.
    ///
    /// Names are compared byte for byte (RFC 8259 §8.3): no Unicode normalization, unlike `String`'s `==`.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// Also of a number such as `1e3` or `2.0`, since JSON makes no difference (RFC 8259 §6); nil for fractions.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var arrayValue: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var objectValue: [Member]? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension String {
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
