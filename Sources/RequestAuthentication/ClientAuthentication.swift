import HTTP
import Issuance
import OpenID
import Storage

/// Finds out which client sends a request, and whether it is that client (RFC 6749 §2.3, §3.2.1).
public struct ClientAuthentication: Sendable {
    private let directory: ClientDirectory
    private let store: ClientStore
    private let masterKeys: MasterKeys
    private let now: Now

    public init(directory: ClientDirectory, store: ClientStore, masterKeys: MasterKeys, now: @escaping Now) {
        self.directory = directory
        self.store = store
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
            try prove(client, by: credentials)
        } catch {
            throw error.told(to: client.metadata.clientID)
        }
        return client
    }

    private func prove(_ client: ClientRecord, by credentials: ClientCredentials) throws(OAuthError) {
        guard client.isEnabled else {
            throw OAuthError(.invalidClient, "the client is disabled")
        }
        let registered = client.metadata.tokenEndpointAuthMethod
        guard credentials.method == registered else {
            throw OAuthError(
                .invalidClient, "the client is registered for the authentication method \(registered.rawValue)",
                detail: "sent \(credentials.method.rawValue)")
        }
        if let secret = credentials.secret {
            // All live secrets are tried, so that the time does not tell which one is near.
            let now = now()
            let fits = client.secrets.filter { $0.isLive(at: now) }.map {
                masterKeys.verify(secret: secret, against: $0.hash)
            }
            guard fits.contains(true) else { throw OAuthError(.invalidClient, "the client secret is wrong") }
        }
    }
}

extension ClientCredentials {
    var clientID: String {
        switch self {
        case .basic(let clientID, _), .post(let clientID, _), .none(let clientID): clientID
        }
    }

    var secret: String? {
        switch self {
        case .basic(_, let secret), .post(_, let secret): secret
        case .none: nil
        }
    }

    var method: TokenEndpointAuthMethod {
        switch self {
        case .basic: .clientSecretBasic
        case .post: .clientSecretPost
        case .none: .none
        }
    }
}
