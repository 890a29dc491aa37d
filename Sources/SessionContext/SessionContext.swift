import HTTP
import JSON
import OpenID
import RequestAuthentication

/// Whether the sign-in behind an access token still stands.
public struct SessionContext: Sendable {
    private let issuer: Issuer
    private let authentication: BearerAuthentication
    private let switches: Switches

    public init(issuer: Issuer, authentication: BearerAuthentication, switches: Switches) {
        self.issuer = issuer
        self.authentication = authentication
        self.switches = switches
    }

    public var routes: [Route] { [] }

    /// What discovery says of this endpoint.
    public var metadata: [JSON.Member] { [] }
}
