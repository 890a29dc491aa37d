import HTTP

/// A language of the pages.
public enum Language: String, Sendable, CaseIterable {
    case english = "en", german = "de", french = "fr", spanish = "es", finnish = "fi", swedish = "sv"

    /// The language for the answer to `request`.
    public static func of(_ request: Request, uiLocales: [String] = []) -> Language {
        choose(uiLocales: uiLocales, acceptLanguage: request.headers["Accept-Language"])
    }

    /// The first of `ui_locales`, then of `Accept-Language`, that we speak (RFC 4647 lookup: `de-AT` finds `de`); English
    /// otherwise.
    static func choose(uiLocales: [String], acceptLanguage: String?) -> Language {
        for tag in uiLocales.prefix(32) {
            if let language = Language(tag: tag) { return language }
        }
        for range in acceptLanguage.map(ranges) ?? [] {
            if let language = Language(tag: range) { return language }
        }
        return .english
    }

    /// RFC 4647 §3.4: shorten the tag until it is one of ours; as ours are single subtags, its first subtag decides.
    private init?(tag: some StringProtocol) {
        let primary = tag.prefix { $0 != "-" }
        guard primary.utf8.count == 2 else { return nil }
        self.init(rawValue: primary.lowercased())
    }

    /// The ranges of an `Accept-Language` field (RFC 9110 §12.5.4), best first, without those of quality 0.
    private static func ranges(_ field: String) -> [Substring] {
        var found: [(range: Substring, quality: Double)] = []
        for element in field.split(separator: ",").prefix(32) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            guard let range = parts.first, !range.isEmpty else { continue }
            var quality = 1.0
            for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
                // A weight that is none says nothing; such an element is not chosen.
                quality = Double(parameter.dropFirst(2)).flatMap { (0...1).contains($0) ? $0 : nil } ?? 0
            }
            if quality > 0 { found.append((range, quality)) }
        }
        // Swift's sort is stable, so equal weights keep the order of the field.
        return found.sorted { $0.quality > $1.quality }.map(\.range)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
