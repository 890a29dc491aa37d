import ASCII

/// The parts of an absolute URI that pages need: its scheme, and the host of a web address.
///
/// Everything a page writes into a link comes from such an address.
struct WebAddress: Sendable, Equatable {
    enum Host: Sendable, Equatable {
        /// Letters, digits, hyphens and dots, in lower case.
        case name(String)
        case ipv4(String)
        /// With its brackets.
        case ipv6(String)
    }

    /// In lower case.
    let scheme: String
    /// Of `http` and `https` addresses only.
    let host: Host?
    let port: Int?
    /// As given.
    let text: String

    /// Reads an absolute URI (RFC 3986 §3) of printable ASCII.
    ///
    /// `nil` for everything else, for a web address without a proper host and for one with a user in it.
    init?(_ text: String) {
        // Browsers drop tabs and line ends from addresses and read "\" as "/": what they would rewrite is refused.
        let unsafe: Set<UInt8> = Set("\"<>\\^`{|}".utf8)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !unsafe.contains($0) }) else { return nil }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        self.scheme = scheme
        self.text = text

        guard scheme == "http" || scheme == "https" else {
            host = nil
            port = nil
            return
        }
        let rest = text[text.utf8.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let (host, port) = Self.split(authority) else { return nil }
        self.host = host
        self.port = port
    }

    private static func split(_ authority: Substring) -> (Host, Int?)? {
        var hostText = authority
        var portText: Substring = ""
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            hostText = authority[...close]
            let behind = authority[authority.index(after: close)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { return nil }
            portText = behind.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            hostText = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        var port: Int?
        if !portText.isEmpty {
            guard portText.utf8.count <= 5, portText.utf8.allSatisfy(ASCII.isDigit),
                let number = Int(portText), (1...65535).contains(number)
            else { return nil }
            port = number
        }
        guard let host = Host(hostText.lowercased()) else { return nil }
        return (host, port)
    }

    /// An `http` or `https` address.
    var isWeb: Bool { host != nil }

    /// Whether it may stand in a link back to an app: a web address or a private-use scheme, which is a domain name turned
    /// round (RFC 8252 §7.1). The dot keeps out every scheme that a browser acts on by itself, such as `javascript`.
    var isAppTarget: Bool { isWeb || scheme.utf8.contains(UInt8(ascii: ".")) }

    /// What to call the place in front of a person: host and port; `nil` for apps on the same device.
    var placeName: String? {
        switch host {
        case .name("localhost"), .ipv4("127.0.0.1"), .ipv6("[::1]"), nil: nil
        case .name(let text), .ipv4(let text), .ipv6(let text): port.map { "\(text):\($0)" } ?? text
        }
    }
}

extension WebAddress.Host {
    fileprivate init?(_ text: String) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), text.utf8.count > 3,
                text.utf8.dropFirst().dropLast().allSatisfy({ ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E })
            else { return nil }
            self = .ipv6(text)
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E }) else {
            return nil
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }) else { return nil }
        // The WHATWG URL parser takes every host whose last label is a number for an IPv4 address; "0x…" counts as one.
        guard labels.last?.hasPrefix("0x") == false else { return nil }
        if labels.last.map({ $0.utf8.allSatisfy(ASCII.isDigit) }) == true {
            guard labels.count == 4, labels.allSatisfy({ UInt8($0) != nil }) else { return nil }
            self = .ipv4(text)
        } else {
            self = .name(text)
        }
    }
}
