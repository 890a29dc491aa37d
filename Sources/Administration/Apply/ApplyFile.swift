import JSON
import OpenID
import Storage

/// What `seleid apply` reads and `seleid export` writes: switches, clients and accounts as data.
///
/// Holding one proves that all of it passed the checks.
public struct ApplyFile: Sendable {
    public struct Client: Sendable {
        public var metadata: ClientMetadata
        /// nil: the file leaves it as it is.
        public var isEnabled: Bool?
        /// In the clear, only in files written by hand.
        public var secret: String?
    }

    public struct Account: Sendable {
        public var username: String
        /// Standard claims (Core §5.1).
        public var claims: JSON
        /// nil: the file leaves it as it is.
        public var status: AccountStatus?
        /// In the clear, only in files written by hand.
        public var password: String?
    }

    /// nil, as for the other two: the file says nothing about them, and none of them is pruned.
    public var switches: [(feature: Switch, state: Switch.State)]?
    public var clients: [Client]?
    public var accounts: [Account]?

    /// Everything that is wrong with a file, each with its place, such as `clients[2].redirect_uris: …`.
    public struct Problems: Error, CustomStringConvertible, Sendable {
        public let file: String
        public let all: [String]
        public var description: String { all.map { "\(file): \($0)" }.joined(separator: "\n") }

        public init(file: String, all: [String]) {
            self.file = file
            self.all = all
        }
    }

    /// - Parameter file: what problems call it.
    public static func parse(_ json: JSON, file name: String) throws(Problems) -> ApplyFile {
        var reader = ApplyFileReader()
        let file = reader.read(json)
        guard reader.problems.isEmpty else { throw Problems(file: name, all: reader.problems) }
        return file
    }

    /// A shorter one could be guessed; ours have 43 characters. Only what RFC 6749 App. A.2 (VSCHAR) lets through.
    static func secretProblem(_ secret: String) -> String? {
        if !secret.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return "only printable ASCII is allowed" }
        if !(32...256).contains(secret.utf8.count) { return "must have 32 to 256 characters" }
        return nil
    }
}
