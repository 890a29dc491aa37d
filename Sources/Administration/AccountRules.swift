import Argon2
import ASCII
import JSON
import OpenID

/// What an account may be made of.
public enum AccountRules {
    public typealias Problem = ClientMetadata.Problem

    /// The reason why a text cannot be a username; nil when it can.
    public static func usernameProblem(_ username: String) -> String? {
        if username.isEmpty { return "must not be empty" }
        if username.utf8.count > 255 { return "must have at most 255 bytes" }
        if username.first?.isWhitespace == true || username.last?.isWhitespace == true {
            return "must not begin or end with a blank"
        }
        if hasControls(username) { return "must not hold control characters" }
        // Two people must not be told apart by what nobody sees.
        return username.unicodeScalars.contains(where: isInvisible) ? "must not hold invisible characters" : nil
    }

    /// Zero-width characters, soft hyphens, direction marks, variation selectors, line separators and the like.
    private static func isInvisible(_ character: Unicode.Scalar) -> Bool {
        switch character.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator: true
        default: character.properties.isDefaultIgnorableCodePoint
        }
    }

    /// The reason why a text cannot be a password; nil when it can (NIST SP 800-63B §5.1.1: long enough, else anything).
    public static func passwordProblem(_ password: String) -> String? {
        if password.count < 8 { return "must have at least 8 characters" }
        if password.utf8.count > PasswordHasher.passwordCount.upperBound { return "must have at most 1,024 bytes" }
        return password.unicodeScalars.contains("\0") ? "must not hold NUL" : nil
    }

    private static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    // MARK: Claims

    private enum Kind { case string, bool, url, date, language, address }

    /// What a standard claim has to be (Core §5.1); nil for `updated_at`, which is ours to say.
    private static func kind(of claim: StandardClaim) -> Kind? {
        switch claim {
        case .profile, .picture, .website: .url
        case .emailVerified, .phoneNumberVerified: .bool
        case .birthdate: .date
        case .locale: .language
        case .address: .address
        case .updatedAt: nil
        case .name, .familyName, .givenName, .middleName, .nickname, .preferredUsername, .gender, .zoneinfo, .email,
            .phoneNumber:
            .string
        }
    }
    /// Core §5.1.1.
    private static let addressMembers = [
        "formatted", "street_address", "locality", "region", "postal_code", "country",
    ]

    /// What is wrong with an object of claims; each names its claim, or the member of one (`address.country`).
    public static func claimProblems(_ json: JSON) -> [Problem] {
        guard let members = json.objectValue else { return [Problem(field: "claims", reason: "must be an object")] }
        var problems = members.compactMap { member -> Problem? in
            guard let kind = StandardClaim(rawValue: member.name).flatMap(kind(of:)) else {
                return Problem(field: member.name, reason: "there is no such claim")
            }
            if kind == .address { return addressProblem(member.value) }
            return reason(against: member.value, kind).map { Problem(field: member.name, reason: $0) }
        }
        if let email = json["email"]?.stringValue, !isAddress(email) {
            problems.append(Problem(field: "email", reason: "must be an address such as alice@example.com"))
        }
        for (verified, claim) in [("email_verified", "email"), ("phone_number_verified", "phone_number")]
        where json[verified] != nil && json[claim] == nil {
            problems.append(Problem(field: verified, reason: "means nothing without \(claim)"))
        }
        return problems
    }

    private static func reason(against value: JSON, _ kind: Kind) -> String? {
        if kind == .bool { return value.boolValue == nil ? "must be true or false" : nil }
        guard let text = value.stringValue else { return "must be a string" }
        if text.isEmpty { return "must not be empty; leave the claim out" }
        if text.utf8.count > 2048 { return "must have at most 2,048 bytes" }
        if hasControls(text) { return "must not hold control characters" }
        switch kind {
        case .url: return isWebURL(text) ? nil : "must be an http or https URL"
        case .date: return isDate(text) ? nil : "must be YYYY-MM-DD, YYYY, or 0000-MM-DD (Core §5.1)"
        case .language: return isLanguageTag(text) ? nil : "must be a language tag such as en or en-GB"
        default: return nil
        }
    }

    private static func addressProblem(_ value: JSON) -> Problem? {
        guard let members = value.objectValue else { return Problem(field: "address", reason: "must be an object") }
        for member in members {
            let field = "address.\(member.name)"
            guard addressMembers.contains(member.name) else {
                return Problem(field: field, reason: "there is no such member")
            }
            guard let text = member.value.stringValue, !text.isEmpty, text.utf8.count <= 2048 else {
                return Problem(field: field, reason: "must be a string of 1 to 2,048 bytes")
            }
            // Lines may be separated by CR LF or LF in formatted and street_address.
            let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
            let allowsLines = member.name == "formatted" || member.name == "street_address"
            guard controls.allSatisfy({ allowsLines && ($0 == "\n" || $0 == "\r") }) else {
                return Problem(field: field, reason: "must not hold control characters")
            }
        }
        return nil
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count >= 2 && !text.contains(where: \.isWhitespace) && parts.last?.isEmpty == false
            && parts.first?.isEmpty == false
    }

    private static func isWebURL(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        guard let host = rest.split(separator: "/", omittingEmptySubsequences: false).first, !host.isEmpty else {
            return false
        }
        return text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "<") }
    }

    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.utf8.allSatisfy(ASCII.isDigit) }), parts[0].count == 4 else {
            return false
        }
        if parts.count == 1 { return true }
        guard parts.count == 3, parts[1].count == 2, parts[2].count == 2, let year = Int(parts[0]),
            let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)  // 0000 too: a birthday without its year
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    /// The shape of BCP 47, and underscores, which Core §5.1 says to expect.
    private static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard let first = parts.first, (2...8).contains(first.count),
            first.utf8.allSatisfy(ASCII.isLetter)
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.utf8.allSatisfy(ASCII.isAlphanumeric)
        }
    }
}
