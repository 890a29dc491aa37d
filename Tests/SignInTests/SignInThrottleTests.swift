import Testing

@testable import SignIn

@Suite("Slowing down wrong passwords") struct SignInThrottleTests {
    @Test(
        "A network is one IPv4 address or 64 bits of IPv6, however the address is written",
        arguments: [
            ("192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::", "2001:db8:1:2::/64"),
            ("2001:db8::1", "2001:db8:0:0::/64"),
            ("2001:db8:0:0:1::", "2001:db8:0:0::/64"),
            ("2001:db8:0:0:1::2", "2001:db8:0:0::/64"),
            ("2001:0:0:3:4:5:6:7", "2001:0:0:3::/64"),
            ("2001::3:4:5:6:7", "2001:0:0:3::/64"),
            ("2001:db8:1:0:5::1", "2001:db8:1:0::/64"),
            ("2001:db8:1::1", "2001:db8:1:0::/64"),
            ("::1", "0:0:0:0::/64"),
            ("::", "0:0:0:0::/64"),
            ("::192.0.2.1", "0:0:0:0::/64"),
            ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"),
            ("::3:4:5:6:7:8", "0:0:3:4::/64"),
        ])
    func networks(address: String, network: String) {
        #expect(SignInThrottle.network(of: address) == network)
    }

    @Test(
        "The first failures are free, then the wait doubles up to 15 minutes",
        arguments: [(0, 0), (4, 0), (5, 2), (6, 4), (13, 512), (14, 900), (15, 900), (Int64.max, 900)]
            as [(Int64, Int64)])
    func waits(failures: Int64, seconds: Int64) {
        #expect(SignInThrottle.wait(after: failures, free: 5) == seconds)
    }
}
