extension JSON {
    /// JSON Merge Patch (RFC 7396): what the patch names is set, what it has as null is taken away.
    public func merged(with patch: JSON) -> JSON {
        guard let changes = patch.objectValue else { return patch }
        var members = objectValue ?? []
        // A patch names nothing twice, so only what was there before is looked through: a long patch costs no square.
        let names = members.map(\.name)
        var removed: Set<Int> = []
        for change in changes {
            let index = names.firstIndex { $0.hasSameBytes(as: change.name) }
            switch (change.value, index) {
            case (.null, let index?): removed.insert(index)
            case (.null, nil): break
            case (_, let index?): members[index].value = members[index].value.merged(with: change.value)
            case (_, nil): members.append(.init(change.name, JSON.object([]).merged(with: change.value)))
            }
        }
        return .object(members.enumerated().filter { !removed.contains($0.offset) }.map(\.element))
    }
}
