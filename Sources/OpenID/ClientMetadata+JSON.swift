import JSON

extension ClientMetadata {
    /// Metadata as `apply` and `export` have it; defaults are left out, and `validate(json)` gives the same value back.
    public var json: JSON {
        var members: [JSON.Member] = []
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append(JSON.Member(name, value)) }
        }
        func add(_ name: String, _ value: String, unless standard: String) {
            if value != standard { add(name, .string(value)) }
        }
        func add(_ name: String, _ value: Int, unless standard: Int) {
            if value != standard { add(name, .integer(Int64(value))) }
        }
        func add(_ name: String, _ values: [String]) {
            if !values.isEmpty { add(name, .array(values.map(JSON.string))) }
        }

        add("client_id", .string(clientID))
        add("client_name", .string(clientName))
        add("application_type", applicationType.rawValue, unless: ApplicationType.web.rawValue)
        add("profile", profile.rawValue, unless: Profile.seleid.rawValue)
        add("sign_in", signIn.map(JSON.bool))
        if firstParty { add("first_party", .bool(true)) }
        if camelCaseAliases { add("camel_case_aliases", .bool(true)) }
        add(
            "token_endpoint_auth_method", tokenEndpointAuthMethod.rawValue,
            unless: TokenEndpointAuthMethod.clientSecretBasic.rawValue)
        if grantTypes != [.authorizationCode] { add("grant_types", .array(grantTypes.map { .string($0.rawValue) })) }
        add("redirect_uris", redirectURIs)
        add("post_logout_redirect_uris", postLogoutRedirectURIs)
        add("scope", scope.joined(separator: " "), unless: StandardScope.openid.rawValue)
        add("refresh_retry_seconds", refreshRetrySeconds, unless: Default.refreshRetrySeconds)
        add("authorization_code_lifetime", authorizationCodeLifetime, unless: Default.authorizationCodeLifetime)
        add("id_token_lifetime", idTokenLifetime, unless: Default.idTokenLifetime)
        add("access_token_lifetime", accessTokenLifetime, unless: Default.accessTokenLifetime)
        add("refresh_token_idle_lifetime", refreshTokenIdleLifetime, unless: Default.refreshTokenIdleLifetime)
        add("refresh_token_lifetime", refreshTokenLifetime, unless: Default.refreshTokenLifetime)
        add("state_policy", (statePolicy?.rawValue).map(JSON.string))
        add("nonce_policy", (noncePolicy?.rawValue).map(JSON.string))
        add("pkce_policy", (pkcePolicy?.rawValue).map(JSON.string))
        if requireAuthTime { add("require_auth_time", .bool(true)) }
        add("default_max_age", defaultMaxAge.map { .integer(Int64($0)) })
        add("client_uri", clientURI.map(JSON.string))
        add("logo_uri", logoURI.map(JSON.string))
        add("policy_uri", policyURI.map(JSON.string))
        add("tos_uri", tosURI.map(JSON.string))
        add("contacts", contacts)
        if signsUserInfo { add("userinfo_signed_response_alg", .string("RS256")) }
        add("audience", audience)
        let set = ClientMetadata.switchNames.compactMap { name in switches[name].map { JSON.Member(name, .bool($0)) } }
        if !set.isEmpty { add("switches", .object(set)) }
        return .object(members)
    }
}
