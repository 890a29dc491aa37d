import SeededRandom
import Testing

@testable import Pages

@Suite("Addresses in links") struct WebAddressTests {
    @Test(
        "Scheme, host and port are read as RFC 3986 has them",
        arguments: [
            ("https://app.example", "https", .name("app.example"), nil),
            ("HTTPS://App.Example:443/x?y#z", "https", .name("app.example"), 443),
            ("http://127.0.0.1:51004/cb", "http", .ipv4("127.0.0.1"), 51004),
            ("http://[::1]:1/cb", "http", .ipv6("[::1]"), 1),
            ("http://[::1]/cb", "http", .ipv6("[::1]"), nil),
            ("https://a.example:/cb", "https", .name("a.example"), nil),
            ("com.example.app:/seleid", "com.example.app", nil, nil),
            ("com.example.app://host:99999/x", "com.example.app", nil, nil),
            ("a+b-c.1:x", "a+b-c.1", nil, nil),
        ] as [(String, String, WebAddress.Host?, Int?)])
    func parts(text: String, scheme: String, host: WebAddress.Host?, port: Int?) throws {
        let address = try #require(WebAddress(text))
        #expect(address.scheme == scheme)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.text == text)
    }

    @Test(
        "Whatever a browser would read in another way is no address",
        arguments: [
            "", ":", "1a:x", "-a:x", "a b:x", "a_b:x", "https:/a.example", "https:a.example", "https://", "https:///",
            "https://?",
            "https://a@b.example", "https://a:b@c.example", "https://a.example:0", "https://a.example:65536",
            "https://a.example:1a",
            "https://a.example:-1", "https://a.example:000080", "https://a..example", "https://.example",
            "https://a%2e.example",
            "https://a_b.example", "https://ä.example", "https://[::1", "https://[]", "https://[g::1]",
            "https://[::1]x",
            "https://1.2.3", "https://256.1.1.1", "https://1.2.3.4.5", "https://a.0x7f", "https://a.example/\n",
            "https://a.example/\t",
            "\u{0}https://a.example", "https://a.example\\b", "https://a.example/\u{7F}", "com.example.app:/x y",
            "//a.example",
        ])
    func refused(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(
        "Schemes that run or show content are no app",
        arguments: [
            "javascript", "JAVASCRIPT", "data", "vbscript", "blob", "file", "about", "view-source", "filesystem",
            "intent", "mailto", "tel", "ws",
        ])
    func active(scheme: String) throws {
        #expect(try #require(WebAddress(scheme + ":x")).isAppTarget == false)
    }

    @Test(
        "Whatever bytes come, an address that is read holds none that could end an attribute, a header or a link's host"
    )
    func mutations() {
        var generator = SeededGenerator(seed: 0x5e1e1d)
        let seeds = [
            "https://app.example:8443/cb?x=1#y", "http://[::1]:51004/cb", "com.example.app:/seleid",
            "http://127.0.0.1/cb",
        ].map { Array($0.utf8) }
        let spice = Array("\"'<>\\`{}|^ \t\r\n\0;:@/[]%,#?".utf8) + [0x80, 0xC3, 0xFF]
        var read = 0
        for round in 0..<40_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<(1 + Int(generator.next() % 3)) {
                let at = Int(generator.next() % UInt64(bytes.count))
                let byte =
                    generator.next() % 4 == 0
                    ? UInt8(truncatingIfNeeded: generator.next()) : spice[Int(generator.next() % UInt64(spice.count))]
                switch generator.next() % 3 {
                case 0: bytes[at] = byte
                case 1: bytes.insert(byte, at: at)
                default: if bytes.count > 1 { bytes.remove(at: at) }
                }
            }
            guard let address = WebAddress(String(decoding: bytes, as: UTF8.self)) else { continue }
            read += 1
            #expect(address.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
            #expect(address.isWeb == ["http", "https"].contains(address.scheme))
            if let place = address.placeName {
                #expect(place.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789.-:[]".utf8.contains($0) })
            }
        }
        // The loop has to have seen both verdicts.
        #expect(read > 1_000 && read < 39_000)
    }
}
