import HTTP
import JSON
import OpenID
import RequestAuthentication

/// The userinfo endpoint (Core §5.3).
public struct UserInfo: Sendable {
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
