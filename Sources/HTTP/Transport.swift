import Glibc
import OpenSSL

/// The bytes of one connection, plain or through TLS. Non-blocking.
struct Transport {
    let descriptor: Int32
    let tls: TLSConnection?

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSConnection.Result {
        if let tls { return tls.read(into: buffer) }
        return readRaw(into: buffer)
    }

    /// Past TLS: for bytes that are thrown away.
    func readRaw(into buffer: UnsafeMutableRawBufferPointer) -> TLSConnection.Result {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EINTR ? .wantsRead : .failed
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TLSConnection.Result {
        if let tls { return tls.write(bytes) }
        // send in place of write: a client that is gone must not raise SIGPIPE in whoever embeds the server.
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .wantsWrite : .failed
    }

    /// Tells the peer that nothing more comes; it may still send.
    func finishWriting() {
        tls?.shutdown()
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// - Parameter abortively: drops what the kernel still holds for a peer that does not take it.
    func close(abortively: Bool) {
        if abortively {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(descriptor)
    }
}
