import CEvent
import Glibc

/// Takes a waiting connection from a listening socket, non-blocking and close-on-exec from its birth (accept4).
/// - Returns: its descriptor and who it is, or -1 with `errno` set.
public func acceptConnection(_ listener: Int32) -> (descriptor: Int32, peer: sockaddr_storage) {
    var peer = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let descriptor = withUnsafeMutablePointer(to: &peer) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { seleid_accept(listener, $0, &length) }
    }
    return (descriptor, peer)
}
