import Telemetry
import Testing

@Suite("Times as text (RFC 3339)") struct TimestampTests {
    @Test(
        "are read with any offset, and with fractions, which are cut off",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00.999Z", 951_782_400),
            ("2026-01-31t23:59:59z", 1_769_903_999), ("2026-01-31 23:59:59Z", 1_769_903_999),
            ("2026-02-01T01:29:59+01:30", 1_769_903_999), ("2026-01-31T18:59:59-05:00", 1_769_903_999),
            ("1990-12-31T23:59:60Z", 662_688_000), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("2100-03-01T00:00:00Z", 4_107_542_400),
        ])
    func read(text: String, seconds: Int64) {
        #expect(Timestamp.unixSeconds(of: text) == seconds)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "2026-01-31", "2026-01-31T23:59:59", "2026-01-31T23:59Z", "2026-1-31T23:59:59Z", "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+1:00",
            "+026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z", "9999-12-31T23:59:59-00:01",
            "0000-01-01T00:00:00+00:01", "２026-01-01T00:00:00Z", "1769903999",
        ])
    func refuse(text: String) {
        #expect(Timestamp.unixSeconds(of: text) == nil)
    }

    @Test("what is written can be read, over 400 years of days") func roundTrip() {
        for day in stride(from: Int64(-25_567), to: 120_530, by: 1) {
            let seconds = day * 86_400 + 86_399
            #expect(Timestamp.unixSeconds(of: Timestamp.text(ofUnixSeconds: seconds)) == seconds)
        }
    }
}
