import ASCII
import OpenID

/// What of a request may be told. Only values that are no secret and belong to nobody are shown; of all others the shape.
enum Shown {
    /// What is shown as it was sent, up to so many characters: what is longer is not what it should be, and could be a secret
    /// in the wrong place.
    private static let plain = [
        "client_id": 40, "response_type": 64, "response_mode": 64, "code_challenge_method": 64, "prompt": 64,
        "max_age": 64,
        "grant_type": 64, "scope": limit,
    ]

    /// Characters of anything that are shown at most.
    private static let limit = 2_000

    /// nil when it was not sent.
    static func value(_ name: String, of parameters: Parameters) -> String? {
        guard let value = parameters[name] else {
            return parameters.names.contains(name) ? "empty, which counts as not sent" : nil
        }
        return name == "redirect_uri" ? redirectURI(value) : plain[name].map { short(value, $0) } ?? shape(value)
    }

    static func clientID(_ text: String) -> String { short(text, 40) }

    private static func short(_ text: String, _ limit: Int) -> String {
        text.unicodeScalars.count <= limit ? text : shape(text)
    }

    /// Parameters that belong to an answer, or to nobody but the client: their values are not told, wherever they stand.
    private static let secretNames = [
        "code", "state", "access_token", "id_token", "refresh_token", "client_secret", "code_verifier", "password",
    ]

    /// A redirect URI as it was sent. Somebody may have taken the address of an answer for one.
    static func redirectURI(_ text: String) -> String {
        var shown = ""
        for (index, part) in text.split(omittingEmptySubsequences: false, whereSeparator: { "?#&".contains($0) })
            .enumerated()
        {
            if index > 0 { shown.append(text[text.index(before: part.startIndex)]) }
            let name = part.prefix { $0 != "=" }
            let isSecret = index > 0 && name != part && secretNames.contains(String(name))
            shown += isSecret ? "\(name)=…" : part
        }
        return cut(shown)
    }

    /// An origin, without a name and password that may stand in it.
    static func origin(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return cut(text) }
        return cut("…" + text[at...])
    }

    /// The scheme of an Authorization field, if it is one; otherwise the first word could be the secret itself.
    static func scheme(_ word: some StringProtocol) -> String {
        ["basic", "bearer", "dpop", "digest", "negotiate"].contains(word.lowercased())
            ? String(word) : "an unknown scheme"
    }

    static func cut(_ text: String) -> String {
        let count = text.unicodeScalars.count
        guard count > limit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "… (\(count) characters)"
    }

    /// A parameter's name, if it looks like one; a piece of a value that was cut apart could be anything.
    static func name(_ name: String) -> String {
        let isName =
            name.utf8.count <= 40 && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "_-.".utf8.contains($0) }
        return isName ? name : "a name of \(shape(name))"
    }

    /// How long a value is and what it is made of: enough to see that it was cut, wrapped, or is another thing.
    static func shape(_ value: String) -> String {
        let scalars = value.unicodeScalars
        var text = scalars.count == 1 ? "1 character" : "\(scalars.count) characters"
        if let first = scalars.first, let last = scalars.last,
            first.properties.isWhitespace || last.properties.isWhitespace
        {
            text += ", with a blank or line break at an end"
        } else if scalars.contains(where: { $0.properties.isWhitespace }) {
            text += ", with blanks"
        } else if value.utf8.allSatisfy({
            ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }) {
            text += ", all base64url"
        } else if value.utf8.contains(UInt8(ascii: "%")) {
            text += ", with percent signs"
        } else {
            text += ", not all base64url"
        }
        return text
    }
}
