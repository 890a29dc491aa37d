/// What an access token says, sealed: opaque to apps.
public struct AccessToken: Sendable, Equatable {
    public var grantID: Int64
    public var accountID: Int64
    /// Unix seconds.
    public var issuedAt: Int64
    public var expiresAt: Int64
    public var clientID: String
    public var scope: [String]
    /// The grant's `accessEpoch` when it was made; the token is dead when the grant has a later one.
    public var epoch: Int64

    public init(
        grantID: Int64, accountID: Int64, issuedAt: Int64, expiresAt: Int64, clientID: String, scope: [String],
        epoch: Int64
    ) {
        self.grantID = grantID
        self.accountID = accountID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.clientID = clientID
        self.scope = scope
        self.epoch = epoch
    }

    var serialized: [UInt8] {
        var bytes: [UInt8] = []
        for number in [grantID, accountID, issuedAt, expiresAt] { bytes.append(bigEndian: number) }
        bytes.append(counted: clientID)
        bytes.append(counted: scope.joined(separator: " "))
        bytes.append(bigEndian: epoch)
        return bytes
    }

    init?(serialized: [UInt8]) {
        var reader = ByteReader(serialized)
        guard let grantID = reader.integer(), let accountID = reader.integer(), let issuedAt = reader.integer(),
            let expiresAt = reader.integer(), let clientID = reader.string(), let scope = reader.string(),
            // The release before this one wrote none.
            let epoch = reader.isAtEnd ? 0 : reader.integer(), reader.isAtEnd
        else { return nil }
        self.init(
            grantID: grantID, accountID: accountID, issuedAt: issuedAt, expiresAt: expiresAt, clientID: clientID,
            scope: scope.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }, epoch: epoch)
    }
}

/// What a refresh token says, sealed. The same content always has the same text, so that a retry gets the very token it missed.
public struct RefreshToken: Sendable, Equatable {
    public var grantID: Int64
    public var generation: Int64

    public init(grantID: Int64, generation: Int64) {
        self.grantID = grantID
        self.generation = generation
    }

    var serialized: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: grantID)
        bytes.append(bigEndian: generation)
        return bytes
    }

    init?(serialized: [UInt8]) {
        var reader = ByteReader(serialized)
        guard let grantID = reader.integer(), let generation = reader.integer(), reader.isAtEnd else { return nil }
        self.init(grantID: grantID, generation: generation)
    }
}

/// Makes and opens access and refresh tokens.
public struct SealedTokens: Sendable {
    private let accessTokens: Sealer
    private let refreshTokens: Sealer

    public init(_ masterKeys: MasterKeys) {
        accessTokens = Sealer(masterKeys, purpose: "access token")
        refreshTokens = Sealer(masterKeys, purpose: "refresh token", nonces: .synthetic)
    }

    public func seal(_ token: AccessToken) -> String { accessTokens.sealText(token.serialized) }
    public func seal(_ token: RefreshToken) -> String { refreshTokens.sealText(token.serialized) }

    /// nil for anything that is no access token of ours. Says nothing about expiry, nor about the grant.
    public func openAccessToken(_ text: String) -> AccessToken? {
        accessTokens.openText(text).flatMap(AccessToken.init(serialized:))
    }

    /// nil for anything that is no refresh token of ours.
    public func openRefreshToken(_ text: String) -> RefreshToken? {
        refreshTokens.openText(text).flatMap(RefreshToken.init(serialized:))
    }
}
