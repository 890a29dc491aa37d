import HTTP
import Synchronization

/// Whether this node can serve, and why not: what `/readyz` answers.
public final class Readiness: Sendable {
    public enum State: Sendable, Equatable {
        case ready
        /// Since the start nothing has been found out yet.
        case starting
        /// The database cannot be asked.
        case databaseUnreachable
        /// The schema is older than this release; `seleid migrate` was not run.
        case migrationsPending
        /// This machine's clock is more than 5 s off the database's.
        case clockDiffers
        /// There is no key to sign with.
        case noSigningKey
        /// We have been told to stop.
        case draining

        var reason: String {
            switch self {
            case .ready: "ready"
            case .starting: "starting"
            case .databaseUnreachable: "the database cannot be reached"
            case .migrationsPending: "migrations are pending: run seleid migrate"
            case .clockDiffers: "the clocks of this machine and the database differ by more than 5 s"
            case .noSigningKey: "there is no signing key"
            case .draining: "stopping"
            }
        }
    }

    private let current = Mutex(State.starting)

    public init() {}

    public var state: State { current.withLock { $0 } }

    /// Draining is final. - Returns: the state before, or nil if it was the same.
    @discardableResult
    func set(_ state: State) -> State? {
        current.withLock { current in
            guard current != state, current != .draining else { return nil }
            defer { current = state }
            return current
        }
    }

    /// `/healthz`: the process answers. `/readyz`: it can do its work; 503 with the reason if not.
    ///
    /// - Parameter isConnected: whether the loop that answers can reach the database at this moment.
    func routes(isConnected: @escaping @Sendable () -> Bool) -> [Route] {
        [
            Route(.get, "/healthz") { _ in .text(status: 200, "ok\n") },
            Route(.get, "/readyz") { _ in
                var state = self.state
                if state == .ready, !isConnected() { state = .databaseUnreachable }
                if state == .ready { return .text(status: 200, "ready\n") }
                var response = Response.text(status: 503, "\(state.reason)\n")
                response.headers.set("Retry-After", "1")
                return response
            },
        ]
    }
}
