import JSON
import Telemetry

/// Says in the log when the database is lost and when it is back, not at every attempt of every connection.
///
/// Loop thread only; one per pool and one per listener.
final class OutageLog {
    private let fields: [JSON.Member]
    /// Why the latest attempt failed; nil while the database can be reached.
    private var reason: String?

    /// - Parameter purpose: what the connections are for.
    init(loop: Int, purpose: String) {
        fields = [JSON.Member("loop", .integer(Int64(loop))), JSON.Member("purpose", .string(purpose))]
    }

    /// Why there was no connection in time: the server cannot be reached, or all are busy.
    var noConnection: DatabaseError {
        .unavailable(detail: reason ?? "no connection became free in time")
    }

    func connected() {
        guard reason != nil else { return }
        reason = nil
        Log.info("database.reachable", fields)
    }

    /// A connection was lost, or could not be made.
    func failed(_ detail: String) {
        let isNew = reason == nil
        reason = detail
        guard isNew else { return }
        Log.warning("database.unreachable", fields + [JSON.Member("detail", .string(detail))])
    }
}
