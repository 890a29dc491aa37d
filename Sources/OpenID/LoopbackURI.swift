import ASCII

/// An `http` URI on a loopback IP address, split so that its port can be left out of a comparison (RFC 8252 §7.3).
///
/// Works on the bytes from the left and accepts only the two literal addresses, so nothing that merely looks like one
/// (`127.0.0.1.evil.example`, `evil@127.0.0.1`, `127.1`, `localhost`) gets through: behind the address there is a port
/// or the rest, and the rest begins with `/` or `?` or is empty.
struct LoopbackURI {
    enum Address { case v4, v6 }

    let address: Address
    /// Path and query, as written.
    let rest: String

    init?(_ text: String) {
        let bytes = text.utf8
        let prefixes: [(String, Address)] = [("http://127.0.0.1", .v4), ("http://[::1]", .v6)]
        guard let (prefix, address) = prefixes.first(where: { bytes.starts(with: $0.0.utf8) }) else { return nil }
        var tail = bytes.dropFirst(prefix.utf8.count)
        if tail.first == UInt8(ascii: ":") {
            let digits = tail.dropFirst().prefix(while: ASCII.isDigit)
            guard AbsoluteURI.port(digits) != nil else { return nil }
            tail = tail[digits.endIndex...]
        }
        guard tail.isEmpty || tail.first == UInt8(ascii: "/") || tail.first == UInt8(ascii: "?") else { return nil }
        self.address = address
        rest = String(Substring(tail))
    }
}
