import JSON
import OpenID
import Postgres

/// A client as stored.
public struct ClientRecord: Sendable {
    public var metadata: ClientMetadata
    /// A disabled client can do nothing.
    public var isEnabled: Bool
    /// All that are stored; whether one has expired is judged when it is used, since a record may be kept.
    public var secrets: [ClientSecret]
    /// Unix seconds.
    public let createdAt: Int64
    public let updatedAt: Int64
}

/// A client's secret as stored.
public struct ClientSecret: Sendable {
    public let id: Int64
    /// Keyed.
    public let hash: [UInt8]
    /// Unix seconds; nil: never.
    public let expiresAt: Int64?

    public func isLive(at now: Int64) -> Bool { expiresAt.map { now < $0 } ?? true }
}

/// What is stored does not read as what it must be: a fault of ours or of a hand in the database.
public struct StoredDataError: Error, CustomStringConvertible {
    public let description: String
}

/// Clients and their secrets. Every change tells all nodes (a trigger notifies).
public struct ClientStore: Sendable {
    /// The database, or a transaction in it.
    public let database: any StatementRunner
    public init(database: any StatementRunner) { self.database = database }

    private static let columns = """
        c.client_id, c.metadata::text, c.enabled,
        ARRAY(SELECT concat_ws(' ', s.id, encode(s.hash, 'hex'), \(unixSeconds("s.expires_at")))
            FROM client_secrets s WHERE s.client_id = c.client_id ORDER BY s.id),
        \(unixSeconds("c.created_at")), \(unixSeconds("c.updated_at"))
        """
    private static let findStatement = Statement(
        "client_find", "SELECT \(columns) FROM clients c WHERE c.client_id = $1")
    private static let findAndLockStatement = Statement(
        "client_find_and_lock", "SELECT \(columns) FROM clients c WHERE c.client_id = $1 FOR UPDATE OF c")
    private static let listStatement = Statement("client_list", "SELECT \(columns) FROM clients c ORDER BY c.client_id")

    /// - Throws: `DatabaseError`, or `StoredDataError` when the stored metadata breaks today's rules.
    public func find(_ clientID: String) async throws -> ClientRecord? {
        try await database.query(Self.findStatement, [.text(clientID)]).first.map(Self.record)
    }

    /// The same, and nobody else changes it until the transaction is over.
    public func findAndLock(_ clientID: String) async throws -> ClientRecord? {
        try await database.query(Self.findAndLockStatement, [.text(clientID)]).first.map(Self.record)
    }

    // Byte order, so that pages do not depend on the database's collation. Of what is looked for, no character is special.
    private static let pageStatement = Statement(
        "client_page",
        """
        SELECT \(columns) FROM clients c
        WHERE c.client_id COLLATE "C" > $1 COLLATE "C"
            AND ($2 = '' OR strpos(lower(c.client_id), lower($2)) > 0
                OR strpos(lower(c.metadata ->> 'client_name'), lower($2)) > 0
                OR strpos(lower(c.metadata ->> 'redirect_uris'), lower($2)) > 0)
        ORDER BY c.client_id COLLATE "C" LIMIT $3::bigint
        """)

    /// A page of the clients behind `clientID`, by client_id.
    /// - Parameter text: in their id, name or redirect URIs, in any case; empty: all.
    public func page(after clientID: String, holding text: String, limit: Int64) async throws -> [ClientRecord] {
        try await database.query(Self.pageStatement, [.text(clientID), .text(text), .int(limit)]).map(Self.record)
    }

    private static let deleteStatement = Statement("client_delete", "DELETE FROM clients WHERE client_id = $1")

    /// Deletes the client, its secrets, grants, codes and consents.
    /// - Returns: false if there is no such client.
    public func delete(_ clientID: String) async throws(DatabaseError) -> Bool {
        try await database.query(Self.deleteStatement, [.text(clientID)]).affected == 1
    }

    /// All clients, by client_id.
    public func list() async throws -> [ClientRecord] {
        try await database.query(Self.listStatement).map(Self.record)
    }

    private static func record(_ row: Row) throws -> ClientRecord {
        let clientID = row.string(0)
        let metadata: ClientMetadata
        do {
            metadata = try ClientMetadata.validate(row.json(1)).get()
        } catch {
            throw StoredDataError(description: "the stored metadata of client \(clientID) cannot be used: \(error)")
        }
        return ClientRecord(
            metadata: metadata, isEnabled: row.bool(2), secrets: row.strings(3).compactMap(Self.secret),
            createdAt: row.int(4), updatedAt: row.int(5))
    }

    /// From the text that the statement above makes: id, hash, and expiry if there is one.
    private static func secret(_ text: String) -> ClientSecret? {
        let parts = text.split(separator: " ")
        guard parts.count >= 2, let id = Int64(parts[0]) else { return nil }
        return ClientSecret(
            id: id, hash: [UInt8](hex: String(parts[1])), expiresAt: parts.count > 2 ? Int64(parts[2]) : nil)
    }

    private static let putStatement = Statement(
        "client_put",
        """
        INSERT INTO clients (client_id, metadata) VALUES ($1, $2::jsonb)
        ON CONFLICT (client_id) DO UPDATE SET metadata = excluded.metadata, updated_at = now()
        RETURNING xmax = 0
        """)

    /// Creates the client or replaces its metadata; its secrets stay.
    /// - Returns: whether it is new.
    public func put(_ metadata: ClientMetadata) async throws(DatabaseError) -> Bool {
        try await database.query(Self.putStatement, [.text(metadata.clientID), .json(metadata.json)])[0].bool(0)
    }

    private static let createStatement = Statement(
        "client_create",
        "INSERT INTO clients (client_id, metadata) VALUES ($1, $2::jsonb) ON CONFLICT (client_id) DO NOTHING")

    /// - Returns: false if there is a client of that id already; it stays as it is.
    public func create(_ metadata: ClientMetadata) async throws(DatabaseError) -> Bool {
        try await database.query(Self.createStatement, [.text(metadata.clientID), .json(metadata.json)]).affected == 1
    }

    private static let enableStatement = Statement(
        "client_enable", "UPDATE clients SET enabled = $2, updated_at = now() WHERE client_id = $1")

    /// What the client had before it was disabled has not all been ended yet: housekeeping is at it.
    public struct StillEnding: Error {}

    /// - Returns: false if there is no such client.
    /// - Throws: `StillEnding`, or what the database throws.
    public func setEnabled(_ isEnabled: Bool, _ clientID: String) async throws -> Bool {
        do {
            return try await database.query(Self.enableStatement, [.text(clientID), .bool(isEnabled)]).affected == 1
        } catch DatabaseError.refused("55006", _, _) {
            throw StillEnding()
        }
    }
}

extension [UInt8] {
    /// From the database's own hexadecimal text, which is well-formed.
    init(hex text: String) {
        self = []
        reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            let value = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}
