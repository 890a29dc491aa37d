import ASCII
import Glibc

/// An address to listen at, and the C face of it.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// `127.0.0.1:8080`, `[::1]:8080`: an IP address, since a name may have several.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(ASCII.isDigit), let port = UInt16(digits)
        else { return nil }
        let host = text[..<colon]
        if host.first == "[" {
            guard host.last == "]" else { return nil }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            let literal = String(host.dropFirst().dropLast())
            guard !literal.utf8.contains(0), inet_pton(AF_INET6, literal, &address.sin6_addr) == 1 else { return nil }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            guard !host.utf8.contains(0), inet_pton(AF_INET, String(host), &address.sin_addr) == 1 else { return nil }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        }
    }

    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// What the kernel filled in: the IP address and the port.
    static func read(_ storage: sockaddr_storage) -> (address: IPAddress, port: UInt16)? {
        withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = bytes.load(as: sockaddr_in.self)
                return (
                    IPAddress(ipv4: UInt32(bigEndian: address.sin_addr.s_addr)), UInt16(bigEndian: address.sin_port)
                )
            case AF_INET6:
                let address = bytes.load(as: sockaddr_in6.self)
                return (IPAddress(address.sin6_addr), UInt16(bigEndian: address.sin6_port))
            default: return nil
            }
        }
    }
}
