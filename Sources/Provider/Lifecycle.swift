import Glibc
import Synchronization
import Telemetry

/// A server from its start to its orderly end, driven by signals. Main thread only.
public enum Lifecycle {
    /// What a hang-up means: for a service, that its files have changed; for a program in a terminal, that it is gone.
    public enum HangUp: Sendable { case reloads, stops }

    /// Serves until SIGTERM or SIGINT, then drains. `Signals.block()` must have been called before any thread was made.
    /// - Parameters:
    ///   - onReady: called once, when requests can be served.
    ///   - onChildEnd: called on SIGCHLD.
    public static func run(
        _ configuration: Configuration, isDevelopment: Bool = false, hangUp: HangUp = .reloads,
        onReady: @escaping @Sendable () -> Void,
        onChildEnd: () throws -> Void = {}
    ) throws {
        raiseDescriptorLimit()
        let service = try Service(configuration, isDevelopment: isDevelopment, onReady: onReady)
        while true {
            switch Signals.next() {
            case SIGHUP where hangUp == .reloads: reload(service)
            case SIGCHLD: try onChildEnd()
            default:
                drain(service)
                return
            }
        }
    }

    private static func reload(_ service: Service) {
        do {
            try service.reloadTLS()
            Log.info("tls.reloaded")
        } catch {
            Log.error("tls.reload_failed", [.init("detail", .string("\(error)"))])
        }
    }

    /// Readiness first, then the listener, then what is in flight. A second signal shortens the first step; one more ends
    /// the waiting for requests in flight.
    private static func drain(_ service: Service) {
        Log.info("server.draining")
        service.announceDraining()
        _ = nextStop(within: service.configuration.drainDelay)
        let isDone = Flag()
        service.drain { isDone.raise() }
        while !isDone.isRaised {
            if nextStop(within: .milliseconds(10)) {
                Log.warning("server.drain_cut_short")
                return
            }
        }
        service.stopLoops()
        Log.info("server.stopped")
    }

    /// - Returns: whether a signal to stop came within `time`.
    private static func nextStop(within time: Duration) -> Bool {
        let deadline = ContinuousClock.now + time
        while true {
            let rest = deadline - ContinuousClock.now
            guard rest > .zero else { return false }
            if let signal = Signals.next(timeout: rest), signal == SIGTERM || signal == SIGINT { return true }
        }
    }

    /// The soft limit is often 1,024, for the sake of programs that use select(2).
    private static func raiseDescriptorLimit() {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}

/// Raised by one thread, seen by another.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}
