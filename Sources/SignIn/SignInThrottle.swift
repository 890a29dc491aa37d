import Issuance
import Storage

/// Slows guessing down where it comes from: per account and network, and per network. Counts live in the database, so they
/// hold on every node and across restarts; a person whom somebody tries to lock out still signs in from elsewhere.
public struct SignInThrottle: Sendable {
    /// Whom a guess is about and where it comes from, as keyed hashes.
    struct Guess: Sendable {
        let accountAndNetwork: [UInt8]
        let network: [UInt8]
    }

    private let store: SignInFailureStore
    private let keys: LookupSecrets

    public init(store: SignInFailureStore, masterKeys: MasterKeys) {
        self.store = store
        keys = LookupSecrets(masterKeys, purpose: "sign-in failures")
    }

    /// - Parameter username: in its canonical form, or each spelling of it would have guesses of its own.
    func guess(username: String, address: String) -> Guess {
        let network = Self.network(of: address)
        return Guess(
            accountAndNetwork: keys.make(from: Array("account \(network) \(username)".utf8)).hash,
            network: keys.make(from: Array("network \(network)".utf8)).hash)
    }

    /// An IPv4 address, or the first half of an IPv6 one, in one spelling: what one customer usually holds.
    static func network(of address: String) -> String {
        guard address.contains(":") else { return address }
        var groups = address.split(separator: ":", omittingEmptySubsequences: false)
        // "::" stands for as many zeros as are missing; at an end it makes two empty groups.
        if let gap = groups.firstIndex(where: \.isEmpty) {
            let head = groups[..<gap]
            let tail = groups[gap...].drop(while: \.isEmpty)
            let tailCount = tail.count + (tail.last?.contains(".") == true ? 1 : 0)
            groups = head + Array(repeating: "0", count: max(0, 8 - head.count - tailCount)) + tail
        }
        return groups.prefix(4).joined(separator: ":") + "::/64"
    }

    /// nil when the guess may be tried now, else the seconds to wait.
    ///
    /// A guess that may be tried is counted as a failure beforehand, so that of many sent at once no more get through than of
    /// many sent one by one. `succeeded`, `failed` or `wasNotTried` must follow.
    func begin(_ guess: Guess) async throws -> Int? {
        let failures = try await store.find(guess.accountAndNetwork, guess.network)
        let wait = max(
            Self.wait(after: failures.first.count, free: 5) - failures.first.age,
            Self.wait(after: failures.second.count, free: 50) - failures.second.age)
        guard wait <= 0 else { return Int(wait) }
        let before = try await store.add(guess.accountAndNetwork) - 1
        if before == failures.first.count { return nil }
        // Others came in between, just now.
        let longer = Self.wait(after: before, free: 5)
        return longer > 0 ? Int(longer) : nil
    }

    /// The first `free` failures cost nothing; then 2 s, doubling up to 15 minutes.
    static func wait(after failures: Int64, free: Int64) -> Int64 {
        guard failures >= free else { return 0 }
        return min(900, 2 << min(failures - free, 10))
    }

    func failed(_ guess: Guess) async throws { _ = try await store.add(guess.network) }

    func wasNotTried(_ guess: Guess) async throws { try await store.takeBack(guess.accountAndNetwork) }

    /// The person has shown who they are: their own slips are forgotten, the network's are not.
    func succeeded(_ guess: Guess) async throws { try await store.clear(guess.accountAndNetwork) }
}
