import Glibc
import Testing

@testable import Pages

@Suite("Contrast (WCAG 2.2 §1.4.3, §1.4.11)") struct ContrastTests {
    @Test("Text has 4.5:1 and borders of controls have 3:1, in both colour schemes", arguments: ["light", "dark"])
    func contrast(scheme: String) throws {
        let roots = styleSheetText.split(separator: ":root {")
        #expect(roots.count == 2)
        let block = try #require(scheme == "light" ? roots.first : roots.last).prefix { $0 != "}" }
        var colors: [Substring: Double] = [:]
        for match in block.matches(of: /--([a-z-]+): #([0-9a-f]{6});/) {
            colors[match.1] = try luminance(match.2)
        }
        let text = [
            ("text", "card"), ("text", "back"), ("text", "tint"), ("soft", "card"), ("soft", "tint"),
            ("accent", "card"),
            ("accent-hover", "card"), ("accent-hover", "tint"), ("accent", "tint"), ("on-accent", "accent"),
            ("on-accent", "accent-hover"), ("bad", "bad-back"), ("bad", "card"),
        ]
        let controls = [("field", "card"), ("accent", "card"), ("bad", "card")]
        for (pairs, least) in [(text, 4.5), (controls, 3.0)] {
            for (front, back) in pairs {
                let a = try #require(colors[Substring(front)]), b = try #require(colors[Substring(back)])
                let ratio = (max(a, b) + 0.05) / (min(a, b) + 0.05)
                #expect(ratio >= least, "\(front) on \(back): \(ratio)")
            }
        }
    }

    /// WCAG's relative luminance.
    private func luminance(_ hex: Substring) throws -> Double {
        let value = try #require(Int(hex, radix: 16))
        let channels = [value >> 16, value >> 8 & 0xFF, value & 0xFF].map { byte -> Double in
            let share = Double(byte) / 255
            let base = (share + 0.055) / 1.055
            return share <= 0.04045 ? share / 12.92 : pow(base, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}
