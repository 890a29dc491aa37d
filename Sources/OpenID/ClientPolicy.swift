/// What presets a client's policies.
public enum Profile: String, Sendable, CaseIterable {
    /// The default: state, nonce and PKCE required.
    case seleid
    /// The standard as it stands, for certification and old libraries: PKCE required of public clients only.
    case oidc
    /// FAPI 2.0 Security Profile. A known name, but `ClientMetadata.validate` refuses it as long as pushed requests and
    /// sender-constrained tokens are not there.
    case fapi2
}

/// RFC 7591 / OpenID Connect Registration §2 `application_type`.
public enum ApplicationType: String, Sendable { case web, native }

/// RFC 7591 §2 `token_endpoint_auth_method`, as far as offered.
public enum TokenEndpointAuthMethod: String, Sendable {
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    case none
}

/// RFC 7591 §2 `grant_types`, as far as offered.
public enum GrantType: String, Sendable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
}

/// A requirement that a profile presets and a client may set on its own.
public enum Requirement: String, Sendable { case required, optional }
