import RequestAuthentication
import Storage

/// Why a sign-in does not stand any more, in the words that apps get. This is the one table of them.
enum Reason: String {
    case signedOut = "signed_out"
    case revoked
    case consentWithdrawn = "consent_withdrawn"
    /// The access token, not the sign-in: refreshing helps.
    case expired
    case accountClosed = "account_closed"
    case accountDisabled = "account_disabled"
    case reauthenticationRequired = "reauthentication_required"

    /// nil for what says nothing about a sign-in.
    init?(_ refusal: BearerRefusal) {
        switch refusal {
        case .missing, .malformed, .unknownToken, .forbidden: return nil
        case .tokenExpired: self = .expired
        case .tokenRevoked: self = .revoked
        case .grantEnded(.windowPassed, _): self = .reauthenticationRequired
        case .grantEnded(.ended(let reason), _): self.init(reason)
        }
    }

    private init(_ reason: EndReason) {
        switch reason {
        case .signedOut, .passwordChanged: self = .signedOut
        case .revoked, .endedByAdmin, .refreshTokenReused, .codeReused, .clientDisabled: self = .revoked
        case .consentWithdrawn: self = .consentWithdrawn
        case .accountDisabled: self = .accountDisabled
        case .accountClosed: self = .accountClosed
        }
    }
}
