import ASCII

/// Who is at the other end of a connection, seen through trusted proxies.
struct Peer: Sendable {
    /// nil for a socket that is not TCP.
    let address: IPAddress?
    let text: String
    let isTrustedProxy: Bool

    init(address: IPAddress?, trustedProxies: [IPNetwork]) {
        self.address = address
        text = address?.text ?? ""
        isTrustedProxy = address.map { address in trustedProxies.contains { $0.contains(address) } } ?? false
    }

    /// The client's address and whether its connection is TLS: the socket's own, unless the peer is a trusted proxy.
    ///
    /// `X-Forwarded-For` is read from the right, where our own proxies write: the first address that is not one of
    /// them is the client. What stands left of it anybody could have sent. An element that is no address ends the
    /// search at the last trusted hop.
    func client(headers: Headers, isTLS: Bool, trustedProxies: [IPNetwork]) -> (address: String, isSecure: Bool) {
        guard isTrustedProxy else { return (text, isTLS) }
        var client = text
        let hops = headers.all("X-Forwarded-For").joined(separator: ",").split(separator: ",").reversed()
        for hop in hops {
            guard let address = Self.address(hop) else { break }
            client = address.text
            if !trustedProxies.contains(where: { $0.contains(address) }) { break }
        }
        let scheme = headers.all("X-Forwarded-Proto").last?.split(separator: ",").last
        return (client, scheme.map { Substring($0.utf8.trimmingBlanks()).lowercased() == "https" } ?? isTLS)
    }

    /// `192.0.2.1`, `2001:db8::1`, and with a port as some proxies write them: `192.0.2.1:80`, `[2001:db8::1]:80`.
    private static func address(_ hop: Substring) -> IPAddress? {
        let hop = Substring(hop.utf8.trimmingBlanks())
        if hop.first == "[" {
            guard let close = hop.firstIndex(of: "]") else { return nil }
            return IPAddress(hop[hop.index(after: hop.startIndex)..<close])
        }
        if let address = IPAddress(hop) { return address }
        guard let colon = hop.firstIndex(of: ":"), hop[hop.index(after: colon)...].utf8.allSatisfy(ASCII.isDigit) else {
            return nil
        }
        return IPAddress(hop[..<colon])
    }
}
