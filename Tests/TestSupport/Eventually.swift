import Glibc

/// Waits until `condition` holds, looking every few milliseconds.
/// - Returns: whether it did within `limit`.
public func eventually(
    within limit: Duration = .seconds(10), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
        if try await condition() { return true }
        if clock.now >= end { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
}
