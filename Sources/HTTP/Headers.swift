import ASCII

/// Header fields in the order of the wire; names compare without case.
///
/// Kept as the bytes they came in with the places of the fields beside them, and decoded when asked for: a request
/// brings a dozen fields of which a handler looks at two.
public struct Headers: Sendable {
    struct Field: Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    private(set) var bytes: [UInt8]
    private(set) var places: [Field]

    public init(_ fields: [(name: String, value: String)] = []) {
        bytes = []
        places = []
        guard !fields.isEmpty else { return }
        bytes.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
        places.reserveCapacity(fields.count + 2)
        for field in fields { add(field.name, field.value) }
    }

    /// The fields of a head that was read; the places point into `bytes`.
    init(bytes: [UInt8], places: [Field]) {
        self.bytes = bytes
        self.places = places
    }

    /// How many fields there are.
    public var count: Int { places.count }

    /// All fields in order.
    public var fields: [(name: String, value: String)] {
        places.map { (String(decoding: bytes[$0.name], as: UTF8.self), string($0)) }
    }

    /// The first field of that name.
    public subscript(name: String) -> String? {
        var name = name
        return name.withUTF8 { wanted in firstPlace(wanted).map(string) }
    }

    /// All fields of that name, in order.
    public func all(_ name: String) -> [String] {
        var name = name
        return name.withUTF8 { wanted in places.filter { matches($0, wanted) }.map(string) }
    }

    public mutating func add(_ name: String, _ value: String) {
        let start = UInt32(bytes.count)
        bytes.append(contentsOf: name.utf8)
        let middle = UInt32(bytes.count)
        bytes.append(contentsOf: value.utf8)
        places.append(
            Field(nameStart: start, nameEnd: middle, valueStart: middle, valueEnd: UInt32(bytes.count)))
    }

    /// Replaces all fields of that name.
    public mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    /// Takes out all fields of that name.
    public mutating func remove(_ name: String) {
        var name = name
        name.withUTF8 { wanted in
            guard firstPlace(wanted) != nil else { return }
            places = places.filter { !matches($0, wanted) }
        }
    }

    private func firstPlace(_ name: UnsafeBufferPointer<UInt8>) -> Field? {
        bytes.withUnsafeBufferPointer { bytes in
            for place in places where place.name.count == name.count {
                if ASCII.equal(UnsafeBufferPointer(rebasing: bytes[place.name]), name) { return place }
            }
            return nil
        }
    }

    private func matches(_ place: Field, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { ASCII.equal(UnsafeBufferPointer(rebasing: $0[place.name]), name) }
    }

    /// Bytes that are not UTF-8 come out as U+FFFD.
    private func string(_ place: Field) -> String { String(decoding: bytes[place.value], as: UTF8.self) }
}
