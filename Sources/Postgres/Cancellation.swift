import CPostgreSQL
import Glibc
import Synchronization

/// Cancellation requests to the server.
///
/// They travel on a connection of their own, which libpq opens with blocking calls: so each has a short-lived thread.
/// One that comes late hits the next statement of that session, which then is `unavailable`: never a wrong answer.
enum Cancellation {
    /// A server that swallows packets keeps a thread for as long as TCP tries. Above this we do without: the connection
    /// is closed a moment later anyway.
    private static let limit = 64
    private static let running = Atomic<Int>(0)

    static func send(to handle: OpaquePointer) {
        guard running.wrappingAdd(1, ordering: .relaxed).newValue <= limit, let cancel = PQgetCancel(handle) else {
            running.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        var thread: pthread_t = 0
        if pthread_create(&thread, nil, main, UnsafeMutableRawPointer(cancel)) == 0 {
            pthread_detach(thread)
        } else {
            PQfreeCancel(cancel)
            running.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        let cancel = OpaquePointer(context)
        var text = [CChar](repeating: 0, count: 256)
        PQcancel(cancel, &text, Int32(text.count))
        PQfreeCancel(cancel)
        running.wrappingSubtract(1, ordering: .relaxed)
        return nil
    }
}
