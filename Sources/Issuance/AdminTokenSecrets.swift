/// The texts of admin tokens and the hashes they are stored under.
public struct AdminTokenSecrets: Sendable {
    /// So that people and secret scanners know one when they see it.
    private static let prefix = "seleid_admin_"
    private let secrets: LookupSecrets

    public init(_ masterKeys: MasterKeys) { secrets = LookupSecrets(masterKeys, purpose: "admin token") }

    /// A new random token and the hash to store.
    public func make() -> (text: String, hash: [UInt8]) {
        let secret = secrets.make()
        return (Self.prefix + secret.text, secret.hash)
    }

    /// The hash under which a text would be stored; nil if it cannot be one of ours.
    public func hash(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(Self.prefix) else { return nil }
        return secrets.hash(String(text.dropFirst(Self.prefix.count)))
    }
}
