import JSON
import Postgres

/// A signing key as stored. Its state follows from the times (Unix seconds).
public struct StoredSigningKey: Sendable {
    public let keyID: String
    public let algorithm: String
    public let sealedPrivateKey: [UInt8]
    public let modulus: [UInt8]
    public let exponent: [UInt8]
    public let publishedAt: Int64
    public let signsFrom: Int64
    public let retiredAt: Int64?
    public let goneAt: Int64?
    public let revokedAt: Int64?

    public init(
        keyID: String, algorithm: String, sealedPrivateKey: [UInt8], modulus: [UInt8], exponent: [UInt8],
        publishedAt: Int64 = 0, signsFrom: Int64 = 0, retiredAt: Int64? = nil, goneAt: Int64? = nil,
        revokedAt: Int64? = nil
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.modulus = modulus
        self.exponent = exponent
        self.publishedAt = publishedAt
        self.signsFrom = signsFrom
        self.retiredAt = retiredAt
        self.goneAt = goneAt
        self.revokedAt = revokedAt
    }
}

/// Signing keys. Every change tells all nodes, and is on record by its own transaction.
public struct SigningKeyStore: Sendable {
    public let database: Database
    public init(database: Database) { self.database = database }

    private static let allStatement = Statement(
        "signing_key_all",
        """
        SELECT key_id, algorithm, sealed_private_key, modulus, exponent, \(unixSeconds("published_at")),
            \(unixSeconds("signs_from")), \(unixSeconds("retired_at")),
            \(unixSeconds("gone_at")), \(unixSeconds("revoked_at"))
        FROM signing_keys ORDER BY signs_from, key_id
        """)

    /// All keys ever made, by the time from which they sign.
    /// - Parameter transaction: to see what it has changed.
    public func all(in transaction: Transaction? = nil) async throws(DatabaseError) -> [StoredSigningKey] {
        let runner: any StatementRunner = transaction ?? database
        let rows = try await runner.query(Self.allStatement)
        return rows.map { row in
            StoredSigningKey(
                keyID: row.string(0), algorithm: row.string(1), sealedPrivateKey: row.bytes(2), modulus: row.bytes(3),
                exponent: row.bytes(4), publishedAt: row.int(5), signsFrom: row.int(6), retiredAt: row.optionalInt(7),
                goneAt: row.optionalInt(8), revokedAt: row.optionalInt(9))
        }
    }

    private static let keyValues =
        "INSERT INTO signing_keys (key_id, algorithm, sealed_private_key, modulus, exponent, signs_from)"

    private static let addFirstStatement = Statement(
        "signing_key_add_first",
        """
        \(keyValues) SELECT $1, $2, $3, $4, $5, now()
        WHERE NOT EXISTS (
            SELECT FROM signing_keys WHERE revoked_at IS NULL AND (retired_at IS NULL OR retired_at > now()))
        """)

    /// Stores a key that signs at once, unless one signs or will sign already.
    public func addFirst(
        _ key: StoredSigningKey, by actor: AuditEvent.Actor, from origin: AuditEvent.Origin
    ) async throws {
        try await database.transaction { transaction in
            _ = try await transaction.query(Self.lockStatement)
            try await Self.addFirst(key, by: actor, from: origin, in: transaction)
        }
    }

    private static func addFirst(
        _ key: StoredSigningKey, by actor: AuditEvent.Actor, from origin: AuditEvent.Origin,
        in transaction: Transaction
    ) async throws {
        guard try await transaction.query(addFirstStatement, parameters(key)).affected == 1 else { return }
        try await AuditStore(database: transaction).record(
            AuditEvent(.keyCreated, by: actor, from: origin, detail: [.init("kid", .string(key.keyID))]))
    }

    // The lock orders the changes; a statement that looks must begin after it, or two would each see only what was before.
    private static let lock = 7_357_001
    private static let lockStatement = Statement("signing_key_lock", "SELECT pg_advisory_xact_lock(\(lock))")
    private static let pendingStatement = Statement(
        "signing_key_pending", "SELECT key_id FROM signing_keys WHERE signs_from > now() AND revoked_at IS NULL")
    private static let addStatement = Statement(
        "signing_key_add", "\(keyValues) VALUES ($1, $2, $3, $4, $5, now() + $6::bigint * interval '1 second')")
    private static let retireStatement = Statement(
        "signing_key_retire",
        """
        UPDATE signing_keys SET retired_at = now() + $2::bigint * interval '1 second',
            gone_at = now() + ($2::bigint + $3::bigint) * interval '1 second'
        WHERE key_id <> $1 AND retired_at IS NULL AND revoked_at IS NULL
        """)

    /// Publishes a key that signs `lead` seconds from now; the keys before it retire then, and are gone `overlap` seconds
    /// after.
    /// - Returns: nil, or the id of a key that waits to sign already (then nothing was changed).
    public func rotate(
        to key: StoredSigningKey, lead: Int64, overlap: Int64, by actor: AuditEvent.Actor,
        from origin: AuditEvent.Origin, in transaction: Transaction? = nil
    ) async throws -> String? {
        try await run(in: transaction) { transaction in
            _ = try await transaction.query(Self.lockStatement)
            if let pending = try await transaction.query(Self.pendingStatement).first { return pending.string(0) }
            _ = try await transaction.query(Self.addStatement, Self.parameters(key) + [.int(lead)])
            _ = try await transaction.query(Self.retireStatement, [.text(key.keyID), .int(lead), .int(overlap)])
            try await AuditStore(database: transaction).record(
                AuditEvent(
                    .keyRotated, by: actor, from: origin,
                    detail: [.init("kid", .string(key.keyID)), .init("signs_in", .integer(lead))]))
            return nil
        }
    }

    private static let revokeStatement = Statement(
        "signing_key_revoke",
        "UPDATE signing_keys SET revoked_at = now() WHERE key_id = $1 AND revoked_at IS NULL")
    private static let promoteStatement = Statement(
        "signing_key_promote",
        """
        UPDATE signing_keys SET signs_from = now() WHERE key_id = (
            SELECT key_id FROM signing_keys WHERE signs_from > now() AND revoked_at IS NULL ORDER BY signs_from LIMIT 1)
        AND NOT EXISTS (
            SELECT FROM signing_keys WHERE signs_from <= now() AND revoked_at IS NULL
                AND (retired_at IS NULL OR retired_at > now()))
        RETURNING key_id
        """)

    /// Takes a key out of use and out of the JWKS at once. If nothing would sign then, the waiting key does, or else `spare`.
    /// - Returns: false if there is no such key or it is revoked already.
    public func revoke(
        _ keyID: String, spare: StoredSigningKey, by actor: AuditEvent.Actor, from origin: AuditEvent.Origin,
        in transaction: Transaction? = nil
    ) async throws -> Bool {
        try await run(in: transaction) { transaction in
            _ = try await transaction.query(Self.lockStatement)
            guard try await transaction.query(Self.revokeStatement, [.text(keyID)]).affected == 1 else { return false }
            let promoted = try await transaction.query(Self.promoteStatement).first?.string(0)
            var detail: [JSON.Member] = [.init("kid", .string(keyID))]
            if let promoted { detail.append(.init("signs_now", .string(promoted))) }
            try await AuditStore(database: transaction).record(
                AuditEvent(.keyRevoked, by: actor, from: origin, detail: detail))
            try await Self.addFirst(spare, by: actor, from: origin, in: transaction)
            return true
        }
    }

    /// In the transaction that somebody else has begun and will end, or in one of its own.
    private func run<Value: Sendable>(
        in transaction: Transaction?, _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        if let transaction { return try await body(transaction) }
        return try await database.transaction(body)
    }

    private static func parameters(_ key: StoredSigningKey) -> [Parameter] {
        [
            .text(key.keyID), .text(key.algorithm), .bytes(key.sealedPrivateKey), .bytes(key.modulus),
            .bytes(key.exponent),
        ]
    }
}
