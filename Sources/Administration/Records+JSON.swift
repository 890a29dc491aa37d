import JSON
import Storage
import Telemetry

extension JSON {
    /// A time as admins read it: RFC 3339 in UTC; null for none.
    public static func time(_ unixSeconds: Int64?) -> JSON {
        unixSeconds.map { .string(Timestamp.text(ofUnixSeconds: $0)) } ?? .null
    }

    static func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
}

/// Whether two values are written with the same bytes, members in any order. `==` takes "é" in one code point and in two
/// for the same.
func hasSameText(_ a: JSON, _ b: JSON) -> Bool { canonical(a).serialized() == canonical(b).serialized() }

extension SessionRecord {
    /// As admins read it.
    public var json: JSON {
        .object([
            .init("sid", .string(sid)), .init("sub", .string(subject)), .init("state", .string(standing.rawValue)),
            .init("auth_time", .time(authTime)), .init("acr", .string(acr)),
            .init("amr", .array(amr.map { .string($0) })), .init("created_at", .time(createdAt)),
            .init("expires_at", .time(expiresAt)), .init("ended_at", .time(endedAt)),
            .init("end_reason", .optional(endReason)), .init("live_grants", .integer(liveGrants)),
        ])
    }
}

extension GrantRecord {
    /// As admins read it.
    public var json: JSON {
        .object([
            .init("id", .integer(id)), .init("client_id", .string(clientID)), .init("sub", .string(subject)),
            .init("sid", .string(sid)), .init("scope", .string(scope.joined(separator: " "))),
            .init("state", .string(standing.rawValue)), .init("auth_time", .time(authTime)),
            .init("acr", .string(acr)), .init("amr", .array(amr.map { .string($0) })),
            .init("created_at", .time(createdAt)), .init("refreshed_at", .time(refreshedAt)),
            .init("idle_expires_at", .time(idleExpiresAt)), .init("expires_at", .time(expiresAt)),
            .init("ended_at", .time(endedAt)), .init("end_reason", .optional(endReason)),
            .init("retries", .integer(retries)),
        ])
    }
}

extension ConsentRecord {
    /// As admins read it.
    public var json: JSON {
        .object([
            .init("client_id", .string(clientID)), .init("sub", .string(subject)),
            .init("scope", .string(scope.joined(separator: " "))), .init("created_at", .time(createdAt)),
            .init("updated_at", .time(updatedAt)),
        ])
    }
}
