import ASCII

/// Writes one JSON object member by member into bytes: for answers and tokens, where building `JSON` values would cost
/// more than the whole rest (three to thirteen times, measured).
///
/// Names are not checked for repetition: the caller writes each once.
public struct JSONObjectWriter: Sendable {
    private var bytes: [UInt8] = []

    public init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    public mutating func add(_ name: String, _ value: String) {
        begin(name)
        bytes.appendJSONString(value)
    }

    public mutating func add(_ name: String, _ value: Int64) {
        begin(name)
        bytes.append(decimal: value)
    }

    public mutating func add(_ name: String, _ value: Bool) {
        begin(name)
        bytes.append(value ? "true" : "false")
    }

    public mutating func add(_ name: String, _ value: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in value.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.appendJSONString(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    public mutating func add(_ name: String, _ value: JSON) {
        begin(name)
        bytes.appendJSON(value, indentation: nil)
    }

    /// Adds the member only when there is a value.
    public mutating func add(_ name: String, ifPresent value: String?) {
        if let value { add(name, value) }
    }

    /// Closes the object.
    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSONString(name)
        bytes.append(UInt8(ascii: ":"))
    }
}
