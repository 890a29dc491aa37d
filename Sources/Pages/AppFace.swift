/// The app as the pages name it.
public struct AppFace: Sendable {
    public var name: String
    public var uri: String?
    public var policyURI: String?
    public var tosURI: String?
    /// The redirect URI of this request: pages name its host, and lead back to nothing else.
    public var redirectURI: String

    public init(
        name: String, uri: String? = nil, policyURI: String? = nil, tosURI: String? = nil, redirectURI: String
    ) {
        self.name = name
        self.uri = uri
        self.policyURI = policyURI
        self.tosURI = tosURI
        self.redirectURI = redirectURI
    }
}

extension AppFace {
    /// The name for people: on one line, at most 80 characters, never empty.
    var displayName: String {
        let name = printable(name, limit: 80)
        return name.isEmpty ? WebAddress(redirectURI)?.placeName ?? "App" : name
    }

    /// The name in a sentence; `bdi` keeps its writing direction to itself.
    var emphasized: HTML { "<strong><bdi>\(displayName)</bdi></strong>" }

    /// Links to the app's own pages, as far as they are web addresses.
    func links(_ strings: Strings) -> HTML? {
        let links = [(strings.website, uri), (strings.privacyPolicy, policyURI), (strings.termsOfService, tosURI)]
            .compactMap { label, address -> HTML? in
                guard let address = address.flatMap(WebAddress.init), address.isWeb else { return nil }
                return """
                    <li><a href="\(address.text)" target="_blank" rel="noopener noreferrer">\(label)\
                    <span class="hidden"> (\(strings.opensInNewTab))</span></a></li>
                    """
            }
        guard !links.isEmpty else { return nil }
        return "<ul class=\"links\">\(links)</ul>"
    }
}

/// Text from outside made fit for a line on a page: no control characters, nothing that turns the writing direction or
/// hides, at most `limit` characters.
func printable(_ text: String, limit: Int) -> String {
    var kept = String.UnicodeScalarView()
    // A character may be many scalars: the bound keeps a name of combining marks from covering the page.
    for scalar in text.unicodeScalars.prefix(4 * limit) {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: kept.append(" ")
        case .format where scalar != "\u{200D}" && scalar != "\u{200C}": continue
        case .surrogate, .privateUse, .unassigned: continue
        default: kept.append(scalar)
        }
    }
    let line = String(kept).split(separator: " ").joined(separator: " ")
    return line.count <= limit ? line : String(line.prefix(limit - 1)) + "…"
}
