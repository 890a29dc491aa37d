import HTTP
import Issuance
import OpenID
import Postgres
import Storage

/// Finds out which client sends a request, and whether it is that client (RFC 6749 §2.3, §3.2.1).
public struct ClientAuthentication: Sendable {
    private let directory: ClientDirectory
    private let store: ClientStore
    private let secretUse: SecretUse
    private let masterKeys: MasterKeys
    private let now: Now

    public init(
        directory: ClientDirectory, store: ClientStore, secretUse: SecretUse, masterKeys: MasterKeys,
        now: @escaping Now
    ) {
        self.directory = directory
        self.store = store
        self.secretUse = secretUse
        self.masterKeys = masterKeys
        self.now = now
    }

    /// - Throws: `OAuthError` (invalid_request, invalid_client), or what the database throws: not having been able to ask is
    ///   never a "no".
    public func authenticate(_ request: Request, _ parameters: Parameters) async throws -> ClientRecord {
        let credentials = try ClientCredentials(
            authorization: request.headers.all("authorization"), parameters: parameters)
        guard let client = try await directory.find(credentials.clientID, in: store) else {
            throw OAuthError(.invalidClient, "the client is not known here")
        }
        do {
            for rule in ClientCredentials.Rule.allCases {
                try rule.check(credentials, of: client, masterKeys: masterKeys, now: now())
            }
        } catch {
            throw error.told(to: client.metadata.clientID)
        }
        if let secret = client.secret(fitting: credentials, masterKeys: masterKeys, at: now()) {
            await noteUse(of: secret, client, request)
        }
        return client
    }

    /// Once an hour. The client has proven itself; whether that could be noted is not its matter.
    private func noteUse(of secret: ClientSecret, _ client: ClientRecord, _ request: Request) async {
        guard secretUse.isNews(of: secret.id, at: now()) else { return }
        do {
            try await store.noteUse(ofSecret: secret.id)
        } catch {
            request.log(
                .warning, "client_secret.use_not_noted",
                [.init("client_id", .string(client.metadata.clientID)), .init("reason", .string(error.detail))])
        }
    }
}

extension ClientRecord {
    /// The live secret that the credentials hold; nil if there is none, or none was sent. All live ones are tried, so that the
    /// time does not tell which one is near. The record may be older than the end of one.
    fileprivate func secret(
        fitting credentials: ClientCredentials, masterKeys: MasterKeys, at now: Int64
    ) -> ClientSecret? {
        guard let text = credentials.secret else { return nil }
        return secrets.filter { $0.isLive(at: now) && masterKeys.verify(secret: text, against: $0.hash) }.last
    }
}

extension ClientCredentials {
    /// A rule by which a known client proves that it is the one. The order of the cases is the order in which they are asked.
    public enum Rule: String, Sendable, CaseIterable {
        case enabled
        case authenticationMethod = "token_endpoint_auth_method"
        case secret = "client_secret"

        /// Where it is written.
        public var section: String {
            switch self {
            case .enabled: "RFC 6749 §5.2"
            case .authenticationMethod: "RFC 7591 §2"
            case .secret: "RFC 6749 §2.3.1"
            }
        }

        /// - Parameter now: Unix seconds.
        /// - Throws: invalid_client.
        public func check(
            _ credentials: ClientCredentials, of client: ClientRecord, masterKeys: MasterKeys, now: Int64
        ) throws(OAuthError) {
            switch self {
            case .enabled:
                guard client.isEnabled else { throw OAuthError(.invalidClient, "the client is disabled") }
            case .authenticationMethod:
                let registered = client.metadata.tokenEndpointAuthMethod
                guard credentials.method == registered else {
                    throw OAuthError(
                        .invalidClient, "the client is registered for the authentication method \(registered.rawValue)",
                        detail: "sent \(credentials.method.rawValue)")
                }
            case .secret:
                guard credentials.secret != nil else { return }
                guard client.secret(fitting: credentials, masterKeys: masterKeys, at: now) != nil else {
                    throw OAuthError(.invalidClient, "the client secret is wrong")
                }
            }
        }
    }

    public var clientID: String {
        switch self {
        case .basic(let clientID, _), .post(let clientID, _), .none(let clientID): clientID
        }
    }

    public var secret: String? {
        switch self {
        case .basic(_, let secret), .post(_, let secret): secret
        case .none: nil
        }
    }

    public var method: TokenEndpointAuthMethod {
        switch self {
        case .basic: .clientSecretBasic
        case .post: .clientSecretPost
        case .none: .none
        }
    }
}
