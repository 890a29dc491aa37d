import ASCII
import Glibc

/// An IPv4 or IPv6 address. IPv4 addresses mapped into IPv6 (`::ffff:a.b.c.d`) are IPv4.
struct IPAddress: Sendable, Equatable {
    /// IPv4 in the last 32 bits.
    let high: UInt64
    let low: UInt64
    let isIPv4: Bool

    init(ipv4: UInt32) {
        high = 0
        low = UInt64(ipv4)
        isIPv4 = true
    }

    init(ipv6 high: UInt64, _ low: UInt64) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.high = high
        self.low = isMapped ? low & 0xFFFF_FFFF : low
        isIPv4 = isMapped
    }

    /// Dotted quad or RFC 4291 text, nothing around it; no zone.
    init?(_ text: some StringProtocol) {
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }  // the C function would stop there
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(ipv4: UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6)
    }

    init(_ address: in6_addr) {
        let (high, low) = withUnsafeBytes(of: address) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(ipv6: UInt64(bigEndian: high), UInt64(bigEndian: low))
    }

    /// The shortest text (RFC 5952).
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isIPv4 {
            var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
            inet_ntop(AF_INET, &address, &buffer, socklen_t(buffer.count))
        } else {
            var words = (high.bigEndian, low.bigEndian)
            inet_ntop(AF_INET6, &words, &buffer, socklen_t(buffer.count))
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// An IPv4 or IPv6 network such as `10.0.0.0/8` or `fd00::/8`; a bare address is its own network.
///
/// Bits behind the prefix do not count: `172.17.0.1/16` is `172.17.0.0/16`. `::/0` has no IPv4 addresses in it.
public struct IPNetwork: Sendable, Equatable {
    private let base: IPAddress
    private let prefix: Int

    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        // The prefix as written counts for the address as written: a mapped IPv4 address has 128 bits there.
        let isMapped = address.isIPv4 && parts[0].contains(":")
        let width = address.isIPv4 && !isMapped ? 32 : 128
        var prefix = width
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy(ASCII.isDigit), let number = Int(parts[1]),
                number <= width
            else { return nil }
            prefix = number
        }
        if isMapped {
            guard prefix >= 96 else { return nil }  // half IPv4, half something else
            prefix -= 96
        }
        self.prefix = prefix
        base = Self.masked(address, prefix)
    }

    public func contains(_ address: String) -> Bool {
        guard let address = IPAddress(address) else { return false }
        return contains(address)
    }

    func contains(_ address: IPAddress) -> Bool {
        address.isIPv4 == base.isIPv4 && Self.masked(address, prefix) == base
    }

    private static func masked(_ address: IPAddress, _ prefix: Int) -> IPAddress {
        if address.isIPv4 {
            let mask = prefix == 0 ? 0 : ~UInt32(0) << UInt32(32 - prefix)
            return IPAddress(ipv4: UInt32(truncatingIfNeeded: address.low) & mask)
        }
        let high = prefix >= 64 ? ~0 : prefix == 0 ? 0 : ~UInt64(0) << UInt64(64 - prefix)
        let low = prefix <= 64 ? 0 : prefix == 128 ? ~0 : ~UInt64(0) << UInt64(128 - prefix)
        return IPAddress(ipv6: address.high & high, address.low & low)
    }
}
