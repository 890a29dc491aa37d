import EventLoop
import Glibc

/// One keep-alive HTTP connection that sends a request, waits for the whole answer, and asks its user for the next one.
/// As little work as possible, on bytes: what the load generator uses, the server cannot have.
final class Connection {
    private let descriptor: Int32
    private var watch: Watch?
    private var input: [UInt8]
    private var count = 0
    private let onAnswer: (Connection, Answer) -> Void
    /// Which user this is.
    let index: Int

    init(loop: EventLoop, port: UInt16, index: Int, onAnswer: @escaping (Connection, Answer) -> Void) {
        self.index = index
        self.onAnswer = onAnswer
        input = Array(repeating: 0, count: 16_384)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let socket = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { fail("cannot connect to port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        watch = Watch(on: loop, descriptor: descriptor, events: .read) { [unowned self] in readable() }
    }

    func send(_ request: [UInt8]) {
        guard write(descriptor, request, request.count) == request.count else {
            fail("the server took only a part of a request")
        }
    }

    func close() {
        watch?.cancel()
        Glibc.close(descriptor)
    }

    private func readable() {
        let (room, start) = (input.count - count, count)
        let received = input.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + start }, room) }
        guard received > 0 else { fail("the server closed a connection") }
        count += received
        guard let answer = Answer(input[..<count]) else { return }
        count = 0
        onAnswer(self, answer)
    }
}

/// A complete answer of the server.
struct Answer {
    let status: Int
    private let bytes: ArraySlice<UInt8>
    private let headEnd: Int

    /// nil as long as something is missing.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let headEnd = bytes.end(of: "\r\n\r\n") else { return nil }
        self.bytes = bytes
        self.headEnd = headEnd
        status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        let length = header("\r\nContent-Length: ").map { $0.reduce(0) { $0 * 10 + Int($1) - 48 } } ?? 0
        guard bytes.count >= headEnd + length else { return nil }
    }

    /// The value behind a header field's name as the server writes it, with the line's end in front and the blank behind.
    func header(_ name: StaticString) -> ArraySlice<UInt8>? {
        guard let start = bytes[..<headEnd].end(of: name) else { return nil }
        return bytes[start...].prefix { $0 != UInt8(ascii: "\r") }
    }

    /// The value behind a string member's name, quotes and colon in it; values hold no escapes, as our tokens do not.
    func member(_ name: StaticString) -> ArraySlice<UInt8>? {
        guard let start = bytes[headEnd...].end(of: name) else { return nil }
        return bytes[start...].prefix { $0 != UInt8(ascii: "\"") }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension ArraySlice<UInt8> {
    /// The index behind the first occurrence.
    func end(of pattern: StaticString) -> Int? {
        let count = pattern.utf8CodeUnitCount
        let found = withUnsafeBufferPointer { bytes in
            pattern.withUTF8Buffer { pattern -> Int? in
                var index = 0
                while index + count <= bytes.count {
                    if bytes[index] == pattern[0], memcmp(bytes.baseAddress! + index, pattern.baseAddress!, count) == 0
                    {
                        return index + count
                    }
                    index += 1
                }
                return nil
            }
        }
        return found.map { startIndex + $0 }
    }
}

func fail(_ reason: String) -> Never {
    var line = "load generator: \(reason)\n"
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    exit(1)
}
