import EventLoop
import Glibc
import Synchronization

/// Looks up host names on short-lived threads: left to libpq it would hold up the loop, for many seconds when the name
/// server is away together with the database.
enum HostNames {
    /// A look-up goes on in its thread after the connection that wanted it has run out of time. Above this, fail at once.
    private static let limit = 16
    private static let running = Atomic<Int>(0)

    enum Answer: Sendable {
        case addresses([String])
        case failed(String)
    }

    /// Whether libpq would have to look `host` up. Several names in one are left to it.
    static func mustResolve(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host.contains(",") { return false }
        var address = in_addr()
        return !host.contains(":") && inet_pton(AF_INET, host, &address) != 1
    }

    /// `@unchecked Sendable`: `completion` is called on the loop it came from; the thread only carries it.
    private final class Request: @unchecked Sendable {
        let name: String
        let loop: EventLoop
        let completion: (Answer) -> Void
        init(name: String, loop: EventLoop, completion: @escaping (Answer) -> Void) {
            self.name = name
            self.loop = loop
            self.completion = completion
        }
    }

    /// Calls `completion` on the loop, later.
    static func resolve(_ name: String, on loop: EventLoop, completion: @escaping (Answer) -> Void) {
        let request = Request(name: name, loop: loop, completion: completion)
        guard running.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            running.wrappingSubtract(1, ordering: .relaxed)
            return finish(request, .failed("too many host names are being looked up"))
        }
        let context = Unmanaged.passRetained(request)
        var thread: pthread_t = 0
        if pthread_create(&thread, nil, main, context.toOpaque()) == 0 {
            pthread_detach(thread)
        } else {
            context.release()
            running.wrappingSubtract(1, ordering: .relaxed)
            finish(request, .failed("the system refused a thread"))
        }
    }

    private static func finish(_ request: Request, _ answer: Answer) {
        Task(executorPreference: request.loop) { request.completion(answer) }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let request = Unmanaged<Request>.fromOpaque(context).takeRetainedValue()
        let answer = lookUp(request.name)
        running.wrappingSubtract(1, ordering: .relaxed)
        finish(request, answer)
        return nil
    }

    /// Blocks.
    private static func lookUp(_ name: String) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard status == 0 else {
            return .failed("\(name): \(String(cString: gai_strerror(status)))")
        }
        var addresses: [String] = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                == 0
            {
                let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failed("\(name) has no address") : .addresses(addresses)
    }
}
