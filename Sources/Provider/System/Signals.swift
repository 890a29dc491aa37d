import Glibc

/// The signals the main thread takes one by one; blocked everywhere else.
public enum Signals {
    /// Blocks them for this thread and all that it starts. Call before any thread is made.
    public static func block() {
        var set = handled()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)  // a closed peer is an error of write(2), not the end of the process
    }

    /// Waits for the next one. - Returns: nil after `timeout`.
    static func next(timeout: Duration? = nil) -> Int32? {
        var set = handled()
        while true {
            let number: Int32
            if let timeout {
                let (seconds, attoseconds) = timeout.components
                var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
                number = sigtimedwait(&set, nil, &time)
            } else {
                number = sigwaitinfo(&set, nil)
            }
            if number > 0 { return number }
            if errno == EAGAIN { return nil }  // EINTR: a debugger, or a stop and continue; wait on
        }
    }

    fileprivate static func handled() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] { sigaddset(&set, number) }
        return set
    }
}

extension Signals {
    /// Undoes `block()`; what is pending is delivered.
    public static func unblock() {
        var set = handled()
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Whether a signal to stop waits to be taken.
    public static var isStopPending: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1
    }
}
