import Foundation
import Glibc

/// A client that sends exactly the bytes it is told to, over a blocking socket of its own.
final class HTTPTestClient {
    struct Answer: Equatable {
        var status: Int
        var head: String
        var body: [UInt8]

        /// The value of the first field of that name.
        subscript(name: String) -> String? { all(name).first }

        func all(_ name: String) -> [String] {
            head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                guard line[..<colon].lowercased() == name.lowercased() else { return nil }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum Failure: Error, Equatable {
        case connect
        /// Nothing came for five seconds.
        case silence
        case closed
        case notAnAnswer(String)
    }

    let descriptor: Int32
    private var received: [UInt8] = []
    private var isOpen = true

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        // Not for the programs that other suites start meanwhile: with a copy of theirs it would stay open.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            Glibc.close(descriptor)
            isOpen = false
            throw Failure.connect
        }
    }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Hangs up without ceremony.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Ends our side; answers can still be read.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// False when the server does not take the bytes any more.
    @discardableResult func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    func sendByteByByte(_ text: String) { for byte in text.utf8 { send([byte]) } }

    /// Whether a part of an answer has come.
    var isInsideAnswer: Bool { !received.isEmpty }

    private func receiveMore() throws {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            received += buffer[..<count]
        } else if count < 0 && errno == EAGAIN {
            throw Failure.silence
        } else {
            throw Failure.closed
        }
    }

    /// The next answer. - Parameter toHead: it is the answer to HEAD, which has no body whatever its length says.
    func receive(toHead: Bool = false) throws -> Answer {
        var end: Int?
        while true {
            end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            if end != nil { break }
            try receiveMore()
        }
        let size = end ?? 0
        let head = String(decoding: received[..<(size - 4)], as: UTF8.self)
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count >= 3, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure.notAnAnswer(head)
        }
        var answer = Answer(status: status, head: head, body: [])
        received.removeFirst(size)
        if status >= 200 && status != 204 && status != 304 && !toHead {
            guard let length = answer["Content-Length"].flatMap(Int.init) else { throw Failure.notAnAnswer(head) }
            while received.count < length { try receiveMore() }
            answer.body = Array(received[..<length])
            received.removeFirst(length)
        }
        return answer
    }

    /// Whether the server has closed its side with nothing more to say.
    func isClosedByServer() throws -> Bool {
        do {
            if received.isEmpty { try receiveMore() }
            return false
        } catch Failure.closed {
            return true
        }
    }

    /// Waits until there is something to read, or the server has closed.
    /// - Returns: false when neither came in time.
    func waitForInput(milliseconds: Int32) -> Bool { wait(for: Int16(POLLIN), milliseconds) }

    private func wait(for events: Int16, _ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Reads slowly until the end, which is an error.
    func drain(bytesPerTurn: Int, every milliseconds: Int32) throws {
        var buffer = [UInt8](repeating: 0, count: bytesPerTurn)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 && errno == EAGAIN { throw Failure.silence }
            if count <= 0 { throw Failure.closed }
            _ = wait(for: 0, milliseconds)
        }
    }

    /// Sends copies of `text` until nobody takes more bytes for 200 ms, or `limit` copies are sent.
    /// - Returns: how many whole copies went out, and what is left of the last one begun.
    func sendUntilFull(_ text: String, limit: Int) -> (whole: Int, rest: ArraySlice<UInt8>) {
        let bytes = Array(text.utf8)
        for count in 0..<limit {
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if sent > 0 {
                    rest = rest.dropFirst(sent)
                } else if errno != EAGAIN || !wait(for: Int16(POLLOUT), 200) {
                    return (count, rest)
                }
            }
        }
        return (limit, [])
    }

    /// Whether the server ends its side in order (no reset), whatever it says before.
    func readsToOrderlyEnd() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return count == 0 }
        }
    }

    /// Sends and reads one answer.
    func exchange(_ text: String) throws -> Answer {
        send(text)
        return try receive(toHead: text.hasPrefix("HEAD "))
    }

    func get(_ path: String, fields: String = "") throws -> Answer {
        try exchange("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    }
}
