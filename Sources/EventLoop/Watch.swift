import CEvent
import Glibc

/// Calls a closure on the loop whenever a descriptor can be read or written, until cancelled.
///
/// Loop thread only. Cancel it *before* the descriptor is closed: the number is reused by the next accept, and the
/// new owner would wait for ever.
public final class Watch {
    public enum Events: Sendable {
        case read, write
        var flags: Int16 { self == .read ? Int16(EV_READ | EV_PERSIST) : Int16(EV_WRITE | EV_PERSIST) }
    }

    private var event: OpaquePointer?
    private var isAdded = false
    private let handler: () -> Void

    /// Starts watching at once. The loop keeps the watch's events, not the watch: hold on to it.
    public convenience init(on loop: EventLoop, descriptor: Int32, events: Events, handler: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.init(loop: loop, descriptor: descriptor, events: events, handler: handler)
    }

    /// For the loop itself, whose thread does not run yet.
    init(loop: EventLoop, descriptor: Int32, events: Events, handler: @escaping () -> Void) {
        self.handler = handler
        let context = Unmanaged.passUnretained(self).toOpaque()  // freed in cancel(), which deinit calls
        event = event_new(
            loop.base, descriptor, events.flags,
            { _, _, context in
                guard let context else { return }
                // Retained for the call: the handler may drop the last reference to its own watch.
                let watch = Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue()
                withExtendedLifetime(watch) { watch.handler() }
            }, context)
        resume()
    }

    deinit { cancel() }

    /// Stops the calls until `resume()`.
    public func pause() {
        guard isAdded, let event else { return }
        event_del(event)
        isAdded = false
    }

    /// Lets the calls begin again.
    public func resume() {
        guard !isAdded, let event else { return }
        event_add(event, nil)
        isAdded = true
    }

    /// Ends the watch for good.
    public func cancel() {
        guard let event else { return }
        event_free(event)
        self.event = nil
        isAdded = false
    }
}
