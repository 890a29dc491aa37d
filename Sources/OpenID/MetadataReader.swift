import JSON

/// Takes members out of a metadata object one by one, and gathers what is wrong with them; what nobody asked for is
/// unknown. After a problem it goes on with the default, so that all problems come out at once.
struct MetadataReader {
    private let members: [JSON.Member]
    private var known: Set<String> = []
    private(set) var problems: [ClientMetadata.Problem] = []

    init(_ members: [JSON.Member]) {
        self.members = members
    }

    mutating func report(_ field: String, _ reason: String) {
        problems.append(ClientMetadata.Problem(field: field, reason: reason))
    }

    private mutating func member(_ name: String) -> JSON? {
        known.insert(name)
        return members.first { $0.name == name }?.value
    }

    mutating func string(_ name: String) -> String? {
        guard let value = member(name) else { return nil }
        if let text = value.stringValue { return text }
        report(name, "must be a string")
        return nil
    }

    mutating func bool(_ name: String, default standard: Bool) -> Bool {
        guard let value = member(name) else { return standard }
        if let truth = value.boolValue { return truth }
        report(name, "must be true or false")
        return standard
    }

    mutating func optionalBool(_ name: String) -> Bool? {
        guard let value = member(name) else { return nil }
        if let truth = value.boolValue { return truth }
        report(name, "must be true or false")
        return nil
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = member(name) else { return nil }
        if let number = value.integerValue, let number = Int(exactly: number), range.contains(number) { return number }
        report(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    mutating func strings(_ name: String, limit: Int) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let items = value.arrayValue, case let texts = items.compactMap(\.stringValue), texts.count == items.count
        else {
            report(name, "must be an array of strings")
            return nil
        }
        if texts.count > limit { report(name, "must not have more than \(limit) entries") }
        if hasRepeats(texts) { report(name, "must not name anything twice") }
        return texts
    }

    /// One of the enumeration's values.
    mutating func choice<Value: RawRepresentable<String>>(
        _ name: String, _ type: Value.Type, of offered: [String]
    ) -> Value? {
        guard let text = string(name) else { return nil }
        if offered.contains(text), let value = Value(rawValue: text) { return value }
        report(name, "must be \(MetadataReader.alternatives(offered))")
        return nil
    }

    /// A member of the specifications of which only one value is offered, so that it says nothing.
    mutating func fixed(_ name: String, to expected: JSON, spelled: String) {
        guard let value = member(name), value != expected else { return }
        report(name, "must be \(spelled), the only value offered")
    }

    mutating func switches(_ name: String, names: [String]) -> [String: Bool] {
        guard let value = member(name) else { return [:] }
        guard let members = value.objectValue else {
            report(name, "must be an object of switches that are true or false")
            return [:]
        }
        var switches: [String: Bool] = [:]
        for member in members {
            if !names.contains(member.name) {
                report("\(name).\(member.name)", "is no switch; there are \(names.joined(separator: ", "))")
            } else if let truth = member.value.boolValue {
                if switches.updateValue(truth, forKey: member.name) != nil {
                    report("\(name).\(member.name)", "must not be given twice")
                }
            } else {
                report("\(name).\(member.name)", "must be true or false")
            }
        }
        return switches
    }

    /// To be called last: reports what is left.
    mutating func finish() {
        var seen: Set<String> = []
        for member in members {
            if member.name == "client_secret" {
                report(member.name, "is not metadata; it is set apart from it")
            } else if !known.contains(member.name) {
                report(member.name, "is unknown here")
            }
            if !seen.insert(member.name).inserted { report(member.name, "must not be given twice") }
        }
    }

    func hasRepeats(_ texts: [String]) -> Bool {
        Set(texts.map { Array($0.utf8) }).count != texts.count
    }

    private static func alternatives(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
