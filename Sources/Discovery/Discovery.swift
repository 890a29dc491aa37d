import HTTP
import JSON
import OpenID
import RequestAuthentication
import Synchronization

/// The provider's metadata (Discovery 1.0 §4, RFC 8414 §3), computed from what is mounted and from the switches, so that it
/// cannot lie.
public struct Discovery: Sendable {
    private static let maxAge: Int64 = 300

    /// What a mounted feature says of itself, and the switch that takes it away.
    public struct Feature: Sendable {
        public let metadata: [JSON.Member]
        public let switchedBy: Switch?

        public init(metadata: [JSON.Member], switchedBy: Switch?) {
            self.metadata = metadata
            self.switchedBy = switchedBy
        }
    }

    private let issuer: Issuer
    private let features: [Feature]
    private let switches: Switches
    private let canAsk: @Sendable () -> Bool
    private let documents = Documents()

    /// One for each set of features that are there; made when it is first asked for.
    private final class Documents: Sendable {
        let made = Mutex<[Set<Switch>: CacheableDocument]>([:])
    }

    /// - Parameter canAsk: whether the database can be reached at this moment.
    public init(
        issuer: Issuer, features: [Feature], switches: Switches, canAsk: @escaping @Sendable () -> Bool
    ) {
        self.issuer = issuer
        self.features = features
        self.switches = switches
        self.canAsk = canAsk
    }

    /// Below the issuer's path, as Discovery 1.0 §4 has it.
    public var routes: [Route] {
        [route("/.well-known/openid-configuration"), route("/.well-known/oauth-authorization-server")]
    }

    /// Between host and path, as RFC 8414 §3.1 has it: to be mounted as they stand, not below the issuer's path. Empty for an
    /// issuer without a path, where both forms are the same.
    public var rootRoutes: [Route] {
        guard !issuer.path.isEmpty else { return [] }
        return [
            route("/.well-known/oauth-authorization-server" + issuer.path),
            route("/.well-known/openid-configuration" + issuer.path),
        ]
    }

    private func route(_ path: String) -> Route {
        Route(.get, path, cors: .anyOrigin) { request in document(for: try await states()).response(to: request) }
    }

    /// In an outage, what was known last, and at once: clients keep this document for minutes anyway.
    private func states() async throws -> SwitchStates {
        if !canAsk(), let states = switches.lastKnown { return states }
        do {
            return try await switches.states()
        } catch {
            guard let states = switches.lastKnown else { throw error }
            return states
        }
    }

    private func document(for states: SwitchStates) -> CacheableDocument {
        let there = Set(Switch.allCases.filter(states.isMounted))
        return documents.made.withLock { made in
            if let document = made[there] { return document }
            let members = features.filter { $0.switchedBy.map(there.contains) ?? true }.flatMap(\.metadata)
            let document = CacheableDocument(
                JSON.object(merged([.init("issuer", .string(issuer.description))] + members)).serialized(),
                maxAge: Self.maxAge)
            made[there] = document
            return document
        }
    }

    /// Lists that several features add to become one.
    private func merged(_ members: [JSON.Member]) -> [JSON.Member] {
        var result: [JSON.Member] = []
        for member in members {
            if let index = result.firstIndex(where: { $0.name == member.name }),
                let old = result[index].value.arrayValue,
                let new = member.value.arrayValue
            {
                result[index].value = .array(old + new.filter { !old.contains($0) })
            } else {
                result.append(member)
            }
        }
        return result
    }
}
