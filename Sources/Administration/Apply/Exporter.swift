import JSON
import OpenID
import Postgres
import Storage

/// Writes what `apply` reads: all switches, clients and accounts, without secrets and passwords, always in the same order.
public struct Exporter: Sendable {
    private let database: Database

    public init(database: Database) { self.database = database }

    public func export() async throws -> JSON {
        let states = try await SwitchStore(database: database).all()
        let switches = Switch.allCases.map { JSON.Member($0.rawValue, .string(states[$0].rawValue)) }
        // Sorted here, byte by byte: the database's order depends on its collation.
        let clients = try await ClientStore(database: database).list()
            .sorted { $0.metadata.clientID < $1.metadata.clientID }.map(\.entry.json)
        let accounts = try await AccountStore(database: database).list().sorted { $0.username < $1.username }
            .map { account in
                var members: [JSON.Member] = [.init("username", .string(account.username))]
                if account.status != .active { members.append(.init("status", .string(account.status.rawValue))) }
                return JSON.object(members + (canonical(account.claims).objectValue ?? []))
            }
        return .object([
            .init("switches", .object(switches)), .init("clients", .array(clients)),
            .init("accounts", .array(accounts)),
        ])
    }
}
