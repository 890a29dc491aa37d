import HTTP
import Issuance
import JSON
import OpenID
import RequestAuthentication
import Storage

/// The revocation endpoint (RFC 7009).
public struct Revocation: Sendable {
    private let issuer: Issuer
    private let authentication: ClientAuthentication
    private let switches: Switches
    private let grants: GrantStore
    private let audit: AuditStore
    private let sealedTokens: SealedTokens

    public init(
        issuer: Issuer, authentication: ClientAuthentication, switches: Switches, grants: GrantStore,
        audit: AuditStore, sealedTokens: SealedTokens
    ) {
        self.issuer = issuer
        self.authentication = authentication
        self.switches = switches
        self.grants = grants
        self.audit = audit
        self.sealedTokens = sealedTokens
    }

    public var routes: [Route] { [] }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] { [] }
}
