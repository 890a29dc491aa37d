import JSON

/// The `claims` parameter (Core §5.5), as far as it is understood here: which claims are asked for by name, and who the
/// person must be.
///
/// `essential`, `value` and `values` of a claim change nothing: what we know is given, what we do not know is left out
/// (§5.5.1). `acr`, `auth_time` and other claims of the protocol are in every ID Token, asked for or not; only an `acr` that
/// is essential must be one that can be reached (§5.5.1.1).
public struct ClaimsRequest: Sendable, Equatable {
    /// Asked for at userinfo, each once.
    public var userInfo: [StandardClaim]
    /// Asked for in the ID Token, each once.
    public var idToken: [StandardClaim]
    /// The `sub` that was asked for: only this person will do (§5.5.1, §3.1.2.2). Never empty.
    public var subject: String?

    public init(userInfo: [StandardClaim] = [], idToken: [StandardClaim] = [], subject: String? = nil) {
        self.userInfo = userInfo
        self.idToken = idToken
        self.subject = subject
    }

    /// The parameter's largest size in UTF-8 bytes: all standard claims in both members, with values, take half of it.
    public static let limit = 4096

    public var isEmpty: Bool { self == ClaimsRequest() }

    /// The scopes that the claims belong to, each once: what a person has to be asked for.
    public var scope: [String] { (userInfo + idToken).map(\.scope.rawValue).withoutRepeats() }

    /// Without the claims whose scope is not among these.
    public func limited(to scope: [String]) -> ClaimsRequest {
        let isAllowed = { (claim: StandardClaim) in scope.contains(claim.scope.rawValue) }
        return ClaimsRequest(userInfo: userInfo.filter(isAllowed), idToken: idToken.filter(isAllowed), subject: subject)
    }

    // MARK: Reading

    /// Members and claims that are not known are ignored, and so is a known claim whose value is neither null nor an object.
    /// - Throws: invalid_request for what is no JSON object, repeats a member, is too long, has a `userinfo` or `id_token`
    ///   that is no object, or a `sub` whose value is no text: ignoring that one would answer with the wrong person.
    ///   login_required when two persons are asked for at once, unmet_authentication_requirements when no essential `acr` is
    ///   one of ours.
    init(parsing text: String) throws(OAuthError) {
        guard text.utf8.count <= Self.limit else {
            throw OAuthError(.invalidRequest, "claims must not be longer than \(Self.limit) bytes")
        }
        let json: JSON
        do {
            json = try JSON(parsing: text.utf8)
        } catch {
            throw OAuthError(.invalidRequest, "claims is no JSON text: \(error)")
        }
        guard json.objectValue != nil else { throw OAuthError(.invalidRequest, "claims must be a JSON object") }
        let userInfo = try Self.members("userinfo", of: json)
        let idToken = try Self.members("id_token", of: json)
        try Self.requireReachableContext(in: idToken)
        let atUserInfo = try Self.subject(in: userInfo)
        let inIDToken = try Self.subject(in: idToken)
        guard atUserInfo == nil || inIDToken == nil || atUserInfo == inIDToken else {
            throw OAuthError(.loginRequired, "claims asks for two different persons")
        }
        self.init(
            userInfo: Self.claims(in: userInfo), idToken: Self.claims(in: idToken), subject: inIDToken ?? atUserInfo)
    }

    private static func members(_ name: String, of json: JSON) throws(OAuthError) -> [JSON.Member] {
        guard let value = json[name], value != .null else { return [] }
        guard let members = value.objectValue else {
            throw OAuthError(.invalidRequest, "\(name) in claims must be an object")
        }
        return members
    }

    private static func requireReachableContext(in members: [JSON.Member]) throws(OAuthError) {
        guard let request = members.first(where: { $0.name == "acr" })?.value, request["essential"] == .bool(true)
        else { return }
        let wanted = (request["value"].map { [$0] } ?? []) + (request["values"]?.arrayValue ?? [])
        guard wanted.isEmpty || wanted.contains(.string(AuthenticationContext.password)) else {
            throw OAuthError(.unmetAuthenticationRequirements, "no acr that claims insists on can be reached here")
        }
    }

    private static func claims(in members: [JSON.Member]) -> [StandardClaim] {
        members.compactMap { member in
            guard member.value == .null || member.value.objectValue != nil else { return nil }
            return StandardClaim(rawValue: member.name)
        }
    }

    /// `values` with several members asks for nobody in particular.
    private static func subject(in members: [JSON.Member]) throws(OAuthError) -> String? {
        guard let request = members.first(where: { $0.name == "sub" })?.value else { return nil }
        let values = request["values"]?.arrayValue
        guard let value = request["value"] ?? (values?.count == 1 ? values?.first : nil) else { return nil }
        guard let subject = value.stringValue, !subject.isEmpty else {
            throw OAuthError(.invalidRequest, "the sub in claims must be a text")
        }
        return subject
    }
}
