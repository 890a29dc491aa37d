import CEvent
import Glibc

/// Calls a closure on the loop after a time, once or again and again. Loop thread only.
public final class Timer {
    private var event: OpaquePointer?
    private let handler: () -> Void

    /// Calls `handler` every `interval` until cancelled or dropped.
    public convenience init(on loop: EventLoop, every interval: Duration, handler: @escaping () -> Void) {
        self.init(on: loop, interval, flags: Int16(EV_PERSIST), handler: handler)
    }

    /// Calls `handler` once after `delay`, unless cancelled or dropped before.
    public convenience init(on loop: EventLoop, after delay: Duration, handler: @escaping () -> Void) {
        self.init(on: loop, delay, flags: 0, handler: handler)
    }

    /// Calls `handler` once after `delay`; nobody can cancel it.
    static func once(on loop: EventLoop, after delay: Duration, handler: @escaping () -> Void) {
        var timer: Timer?
        timer = Timer(on: loop, after: delay) {
            handler()
            timer = nil  // the cycle that kept the timer alive until now
        }
        withExtendedLifetime(timer) {}
    }

    private init(on loop: EventLoop, _ time: Duration, flags: Int16, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.handler = handler
        event = event_new(
            loop.base, -1, flags,
            { _, _, context in
                guard let context else { return }
                let timer = Unmanaged<Timer>.fromOpaque(context).takeUnretainedValue()
                withExtendedLifetime(timer) { timer.handler() }
            }, Unmanaged.passUnretained(self).toOpaque())
        var interval = timeval(time)
        event_add(event, &interval)
    }

    deinit { cancel() }

    /// Ends the timer for good.
    public func cancel() {
        guard let event else { return }
        event_free(event)
        self.event = nil
    }
}

extension timeval {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
