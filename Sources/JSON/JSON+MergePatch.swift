extension JSON {
    /// JSON Merge Patch (RFC 7396): what the patch names is set, what it has as null is taken away.
    public func merged(with patch: JSON) -> JSON {
        guard let changes = patch.objectValue else { return patch }
        var members = objectValue ?? []
        for change in changes {
            let index = members.firstIndex { $0.name.hasSameBytes(as: change.name) }
            switch (change.value, index) {
            case (.null, let index?): members.remove(at: index)
            case (.null, nil): break
            case (_, let index?): members[index].value = members[index].value.merged(with: change.value)
            case (_, nil): members.append(.init(change.name, JSON.object([]).merged(with: change.value)))
            }
        }
        return .object(members)
    }
}
