import EventLoop
import Glibc
import JSON
import Telemetry

/// A listening socket on a loop: takes connections until it is paused, and pauses itself when the process or the
/// system has no descriptors left, since the waiting connection would wake the loop again and again.
final class Listener {
    enum Accepted {
        case connection(descriptor: Int32, peer: IPAddress?)
        case error(Int32)
    }

    let descriptor: Int32
    private let accept: (Int32) -> Accepted
    private let take: (Int32, IPAddress?) -> Void
    private var watch: Watch?
    /// No descriptors are left; `retry()` tries again.
    private(set) var isExhausted = false
    private var isPaused = false
    private var nextReport: MonotonicTime?

    /// - Parameters:
    ///   - accept: takes one connection; replaced in tests.
    ///   - take: gets every new connection. May call `pause()`.
    init(
        loop: EventLoop, descriptor: Int32, accept: @escaping (Int32) -> Accepted = Listener.acceptOne,
        take: @escaping (Int32, IPAddress?) -> Void
    ) {
        self.descriptor = descriptor
        self.accept = accept
        self.take = take
        watch = Watch(on: loop, descriptor: descriptor, events: .read) { [unowned self] in self.acceptWaiting() }
    }

    /// Leaves new clients in the kernel's queue.
    func pause() {
        isPaused = true
        watch?.pause()
    }

    func resume() {
        isPaused = false
        if !isExhausted { watch?.resume() }
    }

    /// After a while, or when a descriptor was given back.
    func retry() {
        guard isExhausted else { return }
        isExhausted = false
        if !isPaused { watch?.resume() }
    }

    /// Takes what waits in the queue, a bounded number a call so that others get their turn.
    func acceptWaiting(limit: Int = 64) {
        var count = 0
        while count < limit && !isPaused && watch != nil {
            switch accept(descriptor) {
            case .connection(let descriptor, let peer):
                count += 1
                take(descriptor, peer)
            case .error(EAGAIN): return
            case .error(let code) where [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code):
                isExhausted = true
                watch?.pause()
                reportExhaustion(code)
                return
            case .error: count += 1  // that client is gone already (ECONNABORTED and the like)
            }
        }
    }

    /// Once in ten seconds: while it lasts, every retry fails.
    private func reportExhaustion(_ code: Int32) {
        let now = MonotonicTime.now
        if let nextReport, now < nextReport { return }
        nextReport = now.advanced(by: .seconds(10))
        Log.write(.warning, "http.accept_paused", [JSON.Member("errno", .integer(Int64(code)))])
    }

    /// Takes all that waits, then closes: with SO_REUSEPORT the kernel hands this queue to nobody else.
    func close() {
        guard watch != nil else { return }
        isPaused = false
        acceptWaiting(limit: .max)
        watch?.cancel()
        watch = nil
        Glibc.close(descriptor)
    }

    static func acceptOne(_ listener: Int32) -> Accepted {
        let (descriptor, peer) = acceptConnection(listener)
        if descriptor < 0 { return .error(errno) }
        return .connection(descriptor: descriptor, peer: SocketAddress.read(peer)?.address)
    }

    /// A socket that listens at the address, beside those of the other loops (SO_REUSEPORT).
    static func open(_ text: String) throws(HTTPServer.ListenError) -> (descriptor: Int32, port: UInt16) {
        guard let address = SocketAddress(text) else {
            throw HTTPServer.ListenError(
                description: "\(text): not an address to listen at, such as 127.0.0.1:8080 or [::1]:8080")
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw failure(text, "socket") }
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
        // Accepted sockets inherit it. Answers go out in one piece; Nagle would only hold back the second of two.
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if address.family == AF_INET6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            throw failure(text, "bind", closing: descriptor)
        }
        guard listen(descriptor, 1024) == 0 else { throw failure(text, "listen", closing: descriptor) }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, SocketAddress.read(storage)?.port ?? 0)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func failure(
        _ text: String, _ call: String, closing descriptor: Int32? = nil
    ) -> HTTPServer.ListenError {
        let code = errno
        if let descriptor { Glibc.close(descriptor) }
        return HTTPServer.ListenError(description: "\(text): \(call): \(String(cString: strerror(code)))")
    }
}
