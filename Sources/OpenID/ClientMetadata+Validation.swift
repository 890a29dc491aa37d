import JSON

extension ClientMetadata {
    /// One broken rule, in words for whoever registers the app.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// The member's name; for an item of an array with its place, as in `redirect_uris[1]`.
        public let field: String
        public let reason: String
        public var description: String { "\(field): \(reason)" }
        public init(field: String, reason: String) {
            self.field = field
            self.reason = reason
        }
    }

    /// All broken rules of one registration.
    public struct Problems: Error, Sendable, CustomStringConvertible {
        public let all: [Problem]
        public var description: String { all.map(\.description).joined(separator: "; ") }
        public init(all: [Problem]) { self.all = all }
    }

    /// Reads registration metadata. Unknown members are refused, each rule of the specs is checked, and all problems
    /// are reported at once. `client_secret` is not metadata: take it out first.
    public static func validate(_ json: JSON) -> Result<ClientMetadata, Problems> {
        guard let members = json.objectValue else {
            return .failure(Problems(all: [Problem(field: "client", reason: "must be an object")]))
        }
        var reader = MetadataReader(members)
        let client = ClientMetadata(reading: &reader)
        reader.finish()
        return reader.problems.isEmpty ? .success(client) : .failure(Problems(all: reader.problems))
    }

    private init(reading reader: inout MetadataReader) {
        clientID = reader.clientID()
        clientName = reader.clientName()
        applicationType = reader.choice("application_type", ApplicationType.self, of: ["web", "native"]) ?? .web
        profile = reader.profile()
        tokenEndpointAuthMethod =
            reader.choice(
                "token_endpoint_auth_method", TokenEndpointAuthMethod.self,
                of: ["client_secret_basic", "client_secret_post", "none"]) ?? .clientSecretBasic
        grantTypes = reader.grantTypes()
        redirectURIs = reader.redirectURIs(for: applicationType, areNeeded: !grantTypes.isEmpty)
        postLogoutRedirectURIs = reader.postLogoutRedirectURIs(for: applicationType)
        scope = reader.scope()
        signIn = reader.optionalBool("sign_in")
        firstParty = reader.bool("first_party", default: false)
        camelCaseAliases = reader.bool("camel_case_aliases", default: false)
        refreshRetrySeconds =
            reader.integer("refresh_retry_seconds", in: 0...Default.refreshRetryLimit) ?? Default.refreshRetrySeconds
        authorizationCodeLifetime = reader.lifetime("authorization_code_lifetime", Default.authorizationCodeLifetime)
        idTokenLifetime = reader.lifetime("id_token_lifetime", Default.idTokenLifetime)
        accessTokenLifetime = reader.lifetime("access_token_lifetime", Default.accessTokenLifetime)
        refreshTokenIdleLifetime = reader.lifetime("refresh_token_idle_lifetime", Default.refreshTokenIdleLifetime)
        refreshTokenLifetime = reader.lifetime("refresh_token_lifetime", Default.refreshTokenLifetime)
        statePolicy = reader.policy("state_policy")
        noncePolicy = reader.policy("nonce_policy")
        pkcePolicy = reader.policy("pkce_policy")
        requireAuthTime = reader.bool("require_auth_time", default: false)
        defaultMaxAge = reader.integer("default_max_age", in: 0...AuthorizationRequest.maxAgeLimit)
        clientURI = reader.link("client_uri")
        logoURI = reader.link("logo_uri")
        policyURI = reader.link("policy_uri")
        tosURI = reader.link("tos_uri")
        contacts = reader.contacts()
        switches = reader.switches("switches", names: ClientMetadata.switchNames)
        signsUserInfo =
            reader.choice("userinfo_signed_response_alg", UserInfoSigning.self, of: ["RS256"]) != nil
        audience = reader.audience()

        // Said by many registrations; true of every client here.
        reader.fixed("response_types", to: .array([.string("code")]), spelled: "[code]")
        reader.fixed("id_token_signed_response_alg", to: .string("RS256"), spelled: "RS256")
        reader.fixed("subject_type", to: .string("public"), spelled: "public")

        if grantTypes.isEmpty && !isConfidential {
            reader.report("grant_types", "must hold authorization_code; without it a client must be confidential")
        }
        if pkcePolicy == .optional && !keepsSecret {
            reader.report(
                "pkce_policy",
                isConfidential
                    ? "must be required: a secret inside a native app is no secret (RFC 8252 section 8.5)"
                    : "must be required for a public client")
        }
    }
}

private enum UserInfoSigning: String { case rs256 = "RS256" }

extension MetadataReader {
    fileprivate mutating func clientID() -> String {
        let before = problems.count
        guard let text = string("client_id") else {
            if problems.count == before { report("client_id", "is missing") }
            return ""
        }
        if !ClientMetadata.isClientID(text) {
            report("client_id", "must be 1 to 128 letters, digits, - . _ or ~, and not . or ..")
        }
        return text
    }

    fileprivate mutating func clientName() -> String {
        let before = problems.count
        guard let text = string("client_name") else {
            if problems.count == before { report("client_name", "is missing; people are asked by it") }
            return ""
        }
        if !(1...200).contains(text.unicodeScalars.count) || text.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
            report("client_name", "must be 1 to 200 characters, not all blank")
        }
        if text.unicodeScalars.contains(where: \.isControlOrDirection) {
            report("client_name", "must not hold control characters, line separators or direction overrides")
        }
        return text
    }

    fileprivate mutating func profile() -> Profile {
        let profile = choice("profile", Profile.self, of: Profile.allCases.map(\.rawValue)) ?? .seleid
        if profile == .fapi2 {
            report(
                "profile",
                "fapi2 needs pushed authorization requests and sender-constrained tokens, which are not built yet")
        }
        return profile
    }

    fileprivate mutating func grantTypes() -> [GrantType] {
        guard let names = strings("grant_types", limit: 10) else { return [.authorizationCode] }
        let types = names.compactMap(GrantType.init(rawValue:))
        if types.count != names.count {
            report("grant_types", "may hold only authorization_code and refresh_token")
        } else if !types.isEmpty && !types.contains(.authorizationCode) {
            // RFC 7591 §2.1: the response type `code` goes with this grant, and no other response type is offered.
            report("grant_types", "must hold authorization_code, or nothing for a resource server")
        }
        return types
    }

    fileprivate mutating func redirectURIs(for type: ApplicationType, areNeeded: Bool) -> [String] {
        let before = problems.count
        let uris = strings("redirect_uris", limit: RedirectURIRules.countLimit) ?? []
        if areNeeded && uris.isEmpty && problems.count == before { report("redirect_uris", "must name at least one") }
        for (index, uri) in uris.enumerated() {
            if let reason = RedirectURIRules.reason(against: uri, applicationType: type) {
                report("redirect_uris[\(index)]", reason)
            }
        }
        return uris
    }

    fileprivate mutating func postLogoutRedirectURIs(for type: ApplicationType) -> [String] {
        let uris = strings("post_logout_redirect_uris", limit: RedirectURIRules.countLimit) ?? []
        for (index, uri) in uris.enumerated() {
            if let reason = RedirectURIRules.reason(against: uri, applicationType: type, reserved: ["state"]) {
                report("post_logout_redirect_uris[\(index)]", reason)
            }
        }
        return uris
    }

    fileprivate mutating func scope() -> [String] {
        guard let text = string("scope") else { return [StandardScope.openid.rawValue] }
        let names = text.spaceSeparated
        if hasRepeats(names) { report("scope", "must not name anything twice") }
        if !names.allSatisfy({ StandardScope(rawValue: $0) != nil }) {
            let all = StandardScope.allCases.map(\.rawValue).joined(separator: " ")
            report("scope", "holds an unknown scope; there are \(all)")
        }
        if !names.contains(StandardScope.openid.rawValue) { report("scope", "must hold openid") }
        return names
    }

    fileprivate mutating func lifetime(_ name: String, _ standard: Int) -> Int {
        integer(name, in: 1...standard) ?? standard
    }

    fileprivate mutating func policy(_ name: String) -> Requirement? {
        choice(name, Requirement.self, of: ["required", "optional"])
    }

    fileprivate mutating func link(_ name: String) -> String? {
        guard let text = string(name) else { return nil }
        if let reason = RedirectURIRules.reason(againstLink: text) { report(name, reason) }
        return text
    }

    fileprivate mutating func audience() -> [String] {
        let clientIDs = strings("audience", limit: 20) ?? []
        for (index, clientID) in clientIDs.enumerated() where !ClientMetadata.isClientID(clientID) {
            report("audience[\(index)]", "must be the client_id of a resource server")
        }
        return clientIDs
    }

    fileprivate mutating func contacts() -> [String] {
        let contacts = strings("contacts", limit: 20) ?? []
        for (index, contact) in contacts.enumerated() {
            if !(1...254).contains(contact.unicodeScalars.count)
                || contact.unicodeScalars.contains(where: \.isControlOrDirection)
            {
                report("contacts[\(index)]", "must be 1 to 254 characters without control characters")
            }
        }
        return contacts
    }
}

extension Unicode.Scalar {
    /// Controls, line and paragraph separators, and the marks that turn the reading direction: with those a name could
    /// make a page say something else.
    fileprivate var isControlOrDirection: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
