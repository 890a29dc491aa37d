/// Why a grant or a browser session is over, as stored. What the database's own functions write is among them.
public enum EndReason: String, Sendable, CaseIterable {
    /// The person signed out.
    case signedOut = "signed_out"
    /// The password was changed, by the person or for them.
    case passwordChanged = "password_changed"
    /// The client gave it back (RFC 7009).
    case revoked
    /// An admin ended it.
    case endedByAdmin = "ended_by_admin"
    /// A refresh token that had been used up came again (RFC 9700 §4.14.2).
    case refreshTokenReused = "refresh_token_reused"
    /// A code came a second time (RFC 6749 §4.1.2).
    case codeReused = "code_reused"
    case consentWithdrawn = "consent_withdrawn"
    case clientDisabled = "client_disabled"
    case accountDisabled = "account_disabled"
    case accountClosed = "account_closed"
}
