import OpenID
import Storage

/// The switches as endpoints ask them, each at every request.
public struct Switches: Sendable {
    private let board: SwitchBoard
    private let store: SwitchStore

    public init(board: SwitchBoard, store: SwitchStore) {
        self.board = board
        self.store = store
    }

    /// - Throws: what the database throws: what could not be asked is neither on nor off.
    public func states() async throws -> SwitchStates { try await board.states(in: store) }

    /// What was read last; nil when nothing has been read yet.
    public var lastKnown: SwitchStates? { board.lastKnown }

    /// Whether the endpoint is there for anybody.
    public func isMounted(_ feature: Switch) async throws -> Bool { try await states().isMounted(feature) }

    /// - Throws: the feature's refusal (an `OAuthError`) when it is off for the client, or what the database throws.
    public func require(_ feature: Switch, for client: ClientMetadata) async throws {
        guard try await states().allow(feature, for: client) else {
            throw feature.refusal.told(to: client.clientID)
        }
    }
}
