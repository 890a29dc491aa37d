import HTTP
import Issuance
import JSON
import OpenID
import RequestAuthentication
import Storage

/// The introspection endpoint (RFC 7662).
public struct Introspection: Sendable {
    private let issuer: Issuer
    private let authentication: ClientAuthentication
    private let switches: Switches
    private let grants: GrantStore
    private let sealedTokens: SealedTokens

    public init(
        issuer: Issuer, authentication: ClientAuthentication, switches: Switches, grants: GrantStore,
        sealedTokens: SealedTokens
    ) {
        self.issuer = issuer
        self.authentication = authentication
        self.switches = switches
        self.grants = grants
        self.sealedTokens = sealedTokens
    }

    public var routes: [Route] { [] }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] { [] }
}
