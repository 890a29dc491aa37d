import CPostgreSQL
import EventLoop

/// The time of a statement runs from when it is sent, also while it stands behind others in the pipeline. Those behind a
/// statement that was stuck have then had theirs when their turn comes, and do not each wait as long once more.
extension Connection {
    /// Since when the statement at the head is the server's to answer.
    var headSince: MonotonicTime { flight.headSince }

    /// Another statement is the oldest in flight now. A timer that runs is left as it is: it looks at the head's age when
    /// it fires, so that a busy connection does not set one for each statement. Only who has waited long gets a new one.
    func headHasChanged() {
        let now = MonotonicTime.now
        flight.headSince = now
        cancelledAt = nil
        guard state == .ready, let statementLimit else { return }
        let age = now.duration(since: flight.headSentAt)
        if watchdog != nil {
            if age < statementLimit / 4 { return }
            watchdog?.cancel()
        }
        watch(in: max(statementLimit + SessionLimits.cancelGrace - age, .zero))
    }

    /// Sets another limit for the statements to come; nothing may be in flight.
    func setStatementLimit(_ limit: Duration?) {
        statementLimit = limit
        watchdog?.cancel()
        watchdog = nil
    }

    private func watch(in delay: Duration) {
        watchdog = Timer(on: loop, after: delay) { [unowned self] in lookAtHead() }
    }

    private func lookAtHead() {
        watchdog = nil
        guard state == .ready, !flight.isEmpty, let statementLimit else { return }
        let now = MonotonicTime.now
        let left = statementLimit + SessionLimits.cancelGrace - now.duration(since: flight.headSentAt)
        guard left <= .zero, let handle else { return watch(in: left) }
        let start = cancelledAt ?? now
        cancelledAt = start
        let patience = SessionLimits.closeGrace - SessionLimits.cancelGrace - now.duration(since: start)
        // Not even the cancellation came through: the server or the way to it is stuck.
        if patience <= .zero { return close("a statement was not answered in time") }
        // A cancellation that arrives between two statements does nothing, so it is asked for more than once.
        Cancellation.send(to: handle)
        watch(in: min(SessionLimits.cancelInterval, patience))
    }
}
