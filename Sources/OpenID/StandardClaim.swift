import JSON

/// A claim about a person that this provider can hold (Core §5.1). `sub` is none of them: it is always there.
public enum StandardClaim: String, Sendable, CaseIterable {
    case name
    case familyName = "family_name"
    case givenName = "given_name"
    case middleName = "middle_name"
    case nickname
    case preferredUsername = "preferred_username"
    case profile, picture, website, gender, birthdate, zoneinfo, locale
    case updatedAt = "updated_at"
    case email
    case emailVerified = "email_verified"
    case address
    case phoneNumber = "phone_number"
    case phoneNumberVerified = "phone_number_verified"

    /// The scope that brings it at userinfo, and under which people are asked for it (Core §5.4).
    public var scope: StandardScope {
        switch self {
        case .email, .emailVerified: .email
        case .address: .address
        case .phoneNumber, .phoneNumberVerified: .phone
        default: .profile
        }
    }
}

extension JSONObjectWriter {
    /// Adds those of a person's claims that are wanted. What is not known of the person is left out, never null or empty
    /// (Core §5.3.2).
    public mutating func add(claimsOf person: JSON, where isWanted: (StandardClaim) -> Bool) {
        for member in person.objectValue ?? [] where !member.value.isEmpty {
            guard let claim = StandardClaim(rawValue: member.name), isWanted(claim) else { continue }
            add(member.name, member.value)
        }
    }
}

extension JSON {
    /// Whether it says nothing of a person.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .bool, .integer, .number: false
        }
    }
}
