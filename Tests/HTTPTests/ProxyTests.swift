import Testing

@testable import HTTP

@Suite("Addresses and trusted proxies") struct ProxyTests {
    @Test(
        "a network holds its addresses",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "9.255.255.255", false),
            ("172.17.0.1/16", "172.17.200.1", true), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true),
            ("192.0.2.1/32", "192.0.2.0", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::ffff:10.0.0.0/104", "11.1.2.3", false),
            ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("::1", "::1", true),
            ("::1/128", "::2", false),
            ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", false), ("2001:db8::/64", "2001:db8:0:0:ffff::", true),
            ("2001:db8::/64", "2001:db8:0:1::", false), ("2001:db8::/65", "2001:db8::7fff:0:0:0", true),
            ("2001:db8::/65", "2001:db8::8000:0:0:0", false), ("10.0.0.0/8", "", false),
            ("10.0.0.0/8", "10.0.0.1 ", false),
        ])
    func contains(network: String, address: String, isInside: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(address) == isInside)
    }

    @Test(
        "what is no network",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8",
            "10.0.0.256",
            "::/129", "::g", "fe80::1%eth0", "localhost", "10.0.0.0/08x", " 10.0.0.0/8", "::ffff:10.0.0.0/8",
            "10.0.0.1\0/8",
        ])
    func notANetwork(text: String) { #expect(IPNetwork(text) == nil) }

    @Test("networks are equal when they hold the same addresses") func equality() {
        #expect(IPNetwork("172.17.0.1/16") == IPNetwork("172.17.0.0/16"))
        #expect(IPNetwork("::ffff:10.0.0.0/104") == IPNetwork("10.0.0.0/8"))
        #expect(IPNetwork("10.0.0.0/8") != IPNetwork("10.0.0.0/9"))
    }

    @Test("IPv4 in IPv6 is IPv4; text is the shortest") func addressText() {
        #expect(IPAddress("::ffff:192.0.2.1")?.text == "192.0.2.1")
        #expect(IPAddress("2001:0DB8:0:0::0001")?.text == "2001:db8::1")
        #expect(IPAddress("255.255.255.255")?.text == "255.255.255.255")
    }

    struct Hop: Sendable {
        var peer: String
        var forwardedFor: [String]
        var proto: [String]
        var address: String
        var isSecure: Bool
    }

    @Test(
        "the client is the right-most hop that is no trusted proxy",
        arguments: [
            Hop(peer: "192.0.2.9", forwardedFor: ["1.2.3.4"], proto: ["https"], address: "192.0.2.9", isSecure: false),
            Hop(peer: "10.0.0.1", forwardedFor: [], proto: [], address: "10.0.0.1", isSecure: false),
            Hop(peer: "10.0.0.1", forwardedFor: ["192.0.2.1"], proto: ["https"], address: "192.0.2.1", isSecure: true),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["1.2.3.4, 192.0.2.1"], proto: ["http"], address: "192.0.2.1",
                isSecure: false),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["1.2.3.4, 192.0.2.1 , 10.0.0.2"], proto: ["HTTPS"],
                address: "192.0.2.1", isSecure: true),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["1.2.3.4", "192.0.2.1"], proto: ["https", "http"],
                address: "192.0.2.1", isSecure: false),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["10.0.0.3, 10.0.0.2"], proto: ["http, https"], address: "10.0.0.3",
                isSecure: true),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["192.0.2.1, unknown"], proto: [], address: "10.0.0.1", isSecure: false),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["192.0.2.1, _a, 10.0.0.2"], proto: [""], address: "10.0.0.2",
                isSecure: false),
            Hop(peer: "10.0.0.1", forwardedFor: ["192.0.2.1:443"], proto: [], address: "192.0.2.1", isSecure: false),
            Hop(
                peer: "10.0.0.1", forwardedFor: ["[2001:DB8::1]:443"], proto: [], address: "2001:db8::1",
                isSecure: false),
            Hop(
                peer: "::ffff:10.0.0.1", forwardedFor: ["::ffff:192.0.2.1"], proto: [], address: "192.0.2.1",
                isSecure: false),
            Hop(
                peer: "fd00::1", forwardedFor: ["2001:db8::1"], proto: ["https"], address: "2001:db8::1", isSecure: true
            ),
        ])
    func client(hop: Hop) throws {
        let trusted = try ["10.0.0.0/8", "fd00::/8"].map { try #require(IPNetwork($0)) }
        let peer = Peer(address: IPAddress(hop.peer), trustedProxies: trusted)
        let fields =
            hop.forwardedFor.map { (name: "X-Forwarded-For", value: $0) }
            + hop.proto.map { (name: "X-Forwarded-Proto", value: $0) }
        let client = peer.client(headers: Headers(fields), isTLS: false, trustedProxies: trusted)
        #expect(client.address == hop.address)
        #expect(client.isSecure == hop.isSecure)
    }

    private static let forged = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"

    @Test("forwarded fields of strangers are ignored") func strangers() throws {
        let client = try SharedServer.plain.client()
        #expect(try client.get("/client", fields: Self.forged).text == "127.0.0.1 false")
    }

    @Test("forwarded fields of a trusted proxy are believed") func trusted() throws {
        let server = try TestServer { $0.trustedProxies = [IPNetwork("127.0.0.0/8")].compactMap(\.self) }
        let client = try server.client()
        #expect(try client.get("/client", fields: Self.forged).text == "192.0.2.1 true")
        #expect(try client.get("/client").text == "127.0.0.1 false")
    }

    @Test("over a socket of both families, IPv4 clients are IPv4") func dualStack() throws {
        let server = try TestServer { $0.address = "[::]:0" }
        #expect(try server.client().get("/client").text == "127.0.0.1 false")
    }
}
