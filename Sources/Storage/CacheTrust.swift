import EventLoop
import Postgres

/// Whether a cache of this node may be used: as long as it is sure that the node hears of every change.
///
/// The owner calls `take` for every event of the node's `Listener`, in order, and asks the database when `holds` is false.
struct CacheTrust {
    /// nil: not connected.
    private var end: MonotonicTime?
    /// Counts what may have changed the cached things: what was being read while it rose must not be kept.
    private(set) var epoch = 0

    var holds: Bool { end.map { MonotonicTime.now < $0 } ?? false }

    /// What was read since `epoch` was this may be kept.
    func allowsKeeping(readSince epoch: Int) -> Bool { holds && self.epoch == epoch }

    /// - Parameter isOurs: whether a notification with this payload is about the cached things.
    /// - Returns: whether something cached must be dropped.
    mutating func take(_ event: Listener.Event, isOurs: (_ payload: String) -> Bool) -> Bool {
        switch event {
        case .confirmed(let end):
            self.end = end
            return false
        case .notification(_, let payload) where !isOurs(payload): return false
        case .notification: break
        case .connected, .disconnected: end = nil
        }
        epoch += 1
        return true
    }
}
