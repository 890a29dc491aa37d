import Glibc
import Synchronization

/// A TCP port in front of a Unix socket, which can fall silent: then it still accepts connections, but not a byte goes
/// on, as behind a broken load balancer or a firewall that lost its state.
///
/// One thread carries everything; it ends with `close()`.
public final class Proxy: Sendable {
    public let port: Int
    private let listener: Int32
    private let target: String
    private struct State {
        var isSilent = false
        var isClosed = false
        var accepted = 0
    }
    private let state = Mutex(State())

    /// A port of 127.0.0.1 that nobody uses at the moment, for servers that cannot choose one themselves.
    public static func freePort() throws -> Int {
        let (descriptor, port) = try listen()
        Glibc.close(descriptor)
        return port
    }

    private static func listen() throws -> (descriptor: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer -> Int? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw -> Bool in
                bind(listener, raw, length) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, raw, &length) == 0
            } ? Int(UInt16(bigEndian: pointer.pointee.sin_port)) : nil
        }
        guard let port else { throw TestFailure("no free port") }
        return (listener, port)
    }

    /// - Parameter target: the path of the Unix socket.
    public init(to target: String, isSilent: Bool = false) throws {
        self.target = target
        (listener, port) = try Proxy.listen()
        state.withLock { $0.isSilent = isSilent }
        var thread: pthread_t = 0
        pthread_create(&thread, nil, Proxy.main, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    /// Whether bytes are held back, in both directions.
    public var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// Connections taken so far.
    public var accepted: Int { state.withLock { $0.accepted } }

    /// Ends all connections and the thread.
    public func close() { state.withLock { $0.isClosed = true } }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<Proxy>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private func run() {
        var pairs: [(client: Int32, server: Int32)] = []
        while true {
            let state = state.withLock { $0 }
            if state.isClosed { break }
            var polled = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            // In silence nobody looks at the connections, so that neither bytes nor ends get through.
            if !state.isSilent {
                for pair in pairs {
                    polled.append(pollfd(fd: pair.client, events: Int16(POLLIN), revents: 0))
                    polled.append(pollfd(fd: pair.server, events: Int16(POLLIN), revents: 0))
                }
            }
            guard poll(&polled, nfds_t(polled.count), 5) > 0 else { continue }
            var ended: [Int] = []
            for index in stride(from: 1, to: polled.count, by: 2) {
                let pair = pairs[(index - 1) / 2]
                if polled[index].revents != 0 && !Proxy.carry(pair.client, pair.server)
                    || polled[index + 1].revents != 0 && !Proxy.carry(pair.server, pair.client)
                {
                    ended.append((index - 1) / 2)
                }
            }
            for index in ended.reversed() { Proxy.end(pairs.remove(at: index)) }
            if polled[0].revents != 0 {
                let client = accept(listener, nil, nil)
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                if client >= 0 {
                    self.state.withLock { $0.accepted += 1 }
                    if let server = connectToTarget() {
                        pairs.append((client, server))
                    } else {
                        Glibc.close(client)
                    }
                }
            }
        }
        for pair in pairs { Proxy.end(pair) }
        Glibc.close(listener)
    }

    private static func end(_ pair: (client: Int32, server: Int32)) {
        Glibc.close(pair.client)
        Glibc.close(pair.server)
    }

    private static func carry(_ from: Int32, _ to: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(from, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        var sent = 0
        while sent < count {
            let step = bytes.withUnsafeBytes { send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL)) }
            guard step > 0 else { return false }
            sent += step
        }
        return true
    }

    private func connectToTarget() -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: target.utf8.prefix(107)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return descriptor }
        Glibc.close(descriptor)
        return nil
    }
}
