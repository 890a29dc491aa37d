import Issuance
import JSON
import OpenID
import Testing

@testable import FaultFinder
@testable import Storage

/// The fixtures that the bug log's inputs name.
enum Fixture {
    static let issuer = issuer("https://id.example")
    static let masterKeys = keys()
    static let now: Int64 = 1_800_000_000

    static let secret = "w1-Zk3v8TQxqkYJ1u2mXr7bLh0cNf5sPd9GaEoRtUyWi"
    static let oldSecret = "w1-old-v8TQxqkYJ1u2mXr7bLh0cNf5sPd9GaEoRtUyW"
    /// RFC 7636 App. B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let code = "AAAAcodecodecodecodecodecodecodecodecodecodecode"
    static let state = "state-of-the-person-0123456789"
    static let nonce = "nonce-of-the-person-0123456789"

    /// Confidential, with one live secret and one that has expired.
    static func web1(_ changes: String = "{}", isEnabled: Bool = true) throws -> ClientRecord {
        try client(
            """
            {"client_id": "web1", "client_name": "Web One", "sign_in": true,
             "token_endpoint_auth_method": "client_secret_basic",
             "grant_types": ["authorization_code", "refresh_token"],
             "redirect_uris": ["https://rp.example/cb", "https://rp.example/b?tenant=7"],
             "scope": "openid profile email"}
            """, changes, isEnabled: isEnabled,
            secrets: [
                ClientSecret(id: 1, hash: masterKeys.hash(secret: oldSecret), expiresAt: now),
                ClientSecret(id: 2, hash: masterKeys.hash(secret: secret), expiresAt: now + 1),
            ])
    }

    /// Public and native.
    static func app1() throws -> ClientRecord {
        try client(
            """
            {"client_id": "app1", "client_name": "App One", "sign_in": true, "application_type": "native",
             "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
             "redirect_uris": ["com.example.app:/cb", "http://127.0.0.1/cb"], "scope": "openid profile offline_access"}
            """, "{}", isEnabled: true, secrets: [])
    }

    private static func client(
        _ json: String, _ changes: String, isEnabled: Bool, secrets: [ClientSecret]
    ) throws -> ClientRecord {
        var members = try #require(try JSON(parsing: Array(json.utf8)).objectValue)
        for change in try #require(try JSON(parsing: Array(changes.utf8)).objectValue) {
            members.removeAll { $0.name == change.name }
            members.append(change)
        }
        let metadata = try ClientMetadata.validate(.object(members)).get()
        return ClientRecord(
            metadata: metadata, isEnabled: isEnabled, secrets: secrets, createdAt: now - 1_000, updatedAt: now - 1_000)
    }

    private static func issuer(_ text: String) -> Issuer {
        do { return try Issuer(text) } catch { fatalError("\(error)") }
    }

    private static func keys() -> MasterKeys {
        do { return try MasterKeys(fileContents: MasterKeys.generateFile()) } catch { fatalError("\(error)") }
    }
}

/// Parameters of a request, changed by name: nil leaves one out.
func form(_ base: [(String, String)], _ changes: [String: String?] = [:]) -> String {
    var pairs = base.filter { changes[$0.0] == nil }
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
        if let value { pairs.append((name, value)) }
    }
    return Parameters.encode(pairs)
}

extension Explanation {
    /// "rule place error", or "accepted next".
    var outcome: String {
        guard let (check, refusal) = refused else { return "accepted \(next.rawValue)" }
        return
            "\(check.rule) \(refusal.place.rawValue) \(refusal.error?.code.rawValue ?? refusal.status.map(String.init) ?? "")"
    }

    func check(_ rule: String) throws -> Check { try #require(checks.first { $0.rule == rule }) }

    var failures: [String] {
        checks.compactMap { if case .failed = $0.outcome { $0.rule } else { nil } }
    }

    var text: String { String(decoding: json.serialized(), as: UTF8.self) }
}
