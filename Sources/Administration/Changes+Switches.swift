import JSON
import OpenID
import Storage

extension Changes {
    /// All switches as they stand inside the transaction.
    public func switches() async throws -> SwitchStates { try await SwitchStore(database: transaction).all() }

    /// Sets a switch for everybody.
    /// - Returns: whether that changed anything.
    @discardableResult
    public func setSwitch(
        _ feature: Switch, to state: Switch.State, if precondition: Precondition = { _ in }
    ) async throws -> Bool {
        let store = SwitchStore(database: transaction)
        try await store.lock()
        let before = try await store.all()
        try precondition(before.json(of: feature))
        guard before[feature] != state else { return false }
        try await store.set(feature, state)
        try await record(
            .switchSet,
            [
                .init("switch", .string(feature.rawValue)), .init("before", .string(before[feature].rawValue)),
                .init("after", .string(state.rawValue)),
            ])
        return true
    }
}

extension SwitchStates {
    /// A switch as admins read it.
    public func json(of feature: Switch) -> JSON {
        .object([
            .init("name", .string(feature.rawValue)), .init("state", .string(self[feature].rawValue)),
            .init("default", .string(feature.defaultState.rawValue)),
        ])
    }
}
