import Synchronization

/// Which client secrets are known to be in use this hour, for all loops of a node: one UPDATE an hour for each is enough.
public final class SecretUse: Sendable {
    /// By secret: the last hour, since 1970, in which it was used.
    private let hours = Mutex<[Int64: Int64]>([:])
    private let capacity: Int

    /// - Parameter capacity: secrets at most; all are news again when it is full.
    public init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Whether the secret is used for the first time this hour, as far as this node knows; true only once.
    /// - Parameter now: Unix seconds.
    public func isNews(of secretID: Int64, at now: Int64) -> Bool {
        hours.withLock { hours in
            guard hours[secretID] != now / 3_600 else { return false }
            if hours[secretID] == nil, hours.count >= capacity { hours.removeAll(keepingCapacity: true) }
            hours[secretID] = now / 3_600
            return true
        }
    }
}
