import JSON
import OpenID
import Storage

/// A client as admins write it: its registration metadata, and whether it is enabled.
public struct ClientEntry: Sendable, Equatable {
    public var metadata: ClientMetadata
    /// A disabled client can do nothing, and what it had has ended.
    public var isEnabled: Bool

    public init(metadata: ClientMetadata, isEnabled: Bool = true) {
        self.metadata = metadata
        self.isEnabled = isEnabled
    }

    /// Whether they are the same in every byte.
    public static func == (a: ClientEntry, b: ClientEntry) -> Bool {
        a.isEnabled == b.isEnabled && hasSameText(a.metadata.json, b.metadata.json)
    }

    /// Reads metadata with `enabled` among it.
    /// - Throws: `AdministrationError.invalid` with every problem.
    public init(json: JSON) throws(AdministrationError) {
        guard let members = json.objectValue else { throw .invalid("", "must be an object") }
        var problems: [ClientMetadata.Problem] = []
        let enabled = json["enabled"]
        if let enabled, enabled.boolValue == nil {
            problems.append(ClientMetadata.Problem(field: "enabled", reason: "must be true or false"))
        }
        switch ClientMetadata.validate(.object(members.filter { $0.name != "enabled" })) {
        case .success(let metadata) where problems.isEmpty:
            self.init(metadata: metadata, isEnabled: enabled?.boolValue ?? true)
        case .success: throw .invalid(problems)
        case .failure(let error): throw .invalid(problems + error.all)
        }
    }

    /// Reads what admins write about the client `clientID`, which may be what they have read of it: the times that the server
    /// adds are passed over, and it must not be about another client.
    public init(json: JSON, of clientID: String) throws(AdministrationError) {
        guard let given = json.objectValue else { throw .invalid("", "must be an object") }
        var members = given.filter { $0.name != "created_at" && $0.name != "updated_at" }
        if json["client_id"] == nil { members.append(.init("client_id", .string(clientID))) }
        try self.init(json: .object(members))
        guard metadata.clientID == clientID else {
            throw .invalid("client_id", "cannot be changed: it must be \(clientID) or left out")
        }
    }

    /// What `init(json:)` reads; defaults are left out.
    public var json: JSON {
        guard !isEnabled, let members = metadata.json.objectValue else { return metadata.json }
        return .object(members + [.init("enabled", .bool(false))])
    }
}

extension ClientRecord {
    public var entry: ClientEntry { ClientEntry(metadata: metadata, isEnabled: isEnabled) }

    /// As admins read it: what `ClientEntry` has, and what the server adds.
    public var json: JSON {
        .object(
            (metadata.json.objectValue ?? []) + [
                .init("enabled", .bool(isEnabled)),
                .init("created_at", .time(createdAt)),
                .init("updated_at", .time(updatedAt)),
            ])
    }
}

extension Changes {
    private var clients: ClientStore { ClientStore(database: transaction) }

    /// The client as it stands inside the transaction; nobody else changes it until that is over.
    /// - Throws: `notFound`.
    public func client(_ clientID: String) async throws -> ClientRecord {
        guard let client = try await clients.findAndLock(clientID) else {
            throw AdministrationError.noSuchClient(clientID)
        }
        return client
    }

    /// - Throws: `conflict` when the client_id is taken.
    public func createClient(_ entry: ClientEntry) async throws -> ClientRecord {
        try await putClient(entry) { existing in
            guard existing == nil else {
                throw AdministrationError.conflict("there is a client \(entry.metadata.clientID) already")
            }
        }.client
    }

    /// Creates the client or makes it what the entry says.
    public func putClient(
        _ entry: ClientEntry, if precondition: Precondition = { _ in }
    ) async throws -> (client: ClientRecord, isNew: Bool) {
        let clientID = entry.metadata.clientID
        var before = try await clients.findAndLock(clientID)
        try precondition(before?.json)
        if before == nil, try await !clients.create(entry.metadata) {
            // Somebody was faster: whatever is there now, it is not what the caller took it for unless they say so again.
            before = try await clients.findAndLock(clientID)
            try precondition(before?.json)
        }
        if before?.entry != entry {
            if let before, !hasSameText(before.metadata.json, entry.metadata.json) {
                _ = try await clients.put(entry.metadata)
            }
            if (before?.isEnabled ?? true) != entry.isEnabled {
                try await setEnabled(entry.isEnabled, clientID)
            }
            try await recordChange(from: before?.entry, to: entry)
        }
        guard let client = try await clients.find(clientID) else {
            throw AdministrationError.noSuchClient(clientID)
        }
        return (client, before == nil)
    }

    private func setEnabled(_ isEnabled: Bool, _ clientID: String) async throws {
        do { _ = try await clients.setEnabled(isEnabled, clientID) } catch is ClientStore.StillEnding {
            throw AdministrationError.conflict(
                "client \(clientID) cannot be enabled yet: what it had is still being ended, which takes some minutes")
        }
    }

    private func recordChange(from before: ClientEntry?, to after: ClientEntry) async throws {
        let clientID = after.metadata.clientID
        guard let before else {
            return try await record(.clientCreated, clientID: clientID, [.init("after", after.json)])
        }
        if !hasSameText(before.metadata.json, after.metadata.json) {
            try await record(
                .clientChanged, clientID: clientID, difference(before.metadata.json, after.metadata.json))
        }
        if before.isEnabled != after.isEnabled {
            try await record(after.isEnabled ? .clientEnabled : .clientDisabled, clientID: clientID)
        }
    }

    /// Changes an existing client.
    /// - Parameter change: makes the new entry from the JSON that admins read.
    public func changeClient(
        _ clientID: String, if precondition: Precondition = { _ in }, _ change: (JSON) throws -> ClientEntry
    ) async throws -> ClientRecord {
        let before = try await client(clientID)
        try precondition(before.json)
        return try await putClient(try change(before.json)).client
    }

    /// Deletes the client with all that it has.
    public func deleteClient(_ clientID: String, if precondition: Precondition = { _ in }) async throws {
        let before = try await client(clientID)
        try precondition(before.json)
        _ = try await clients.delete(clientID)
        try await record(.clientDeleted, clientID: clientID, [.init("before", before.entry.json)])
    }
}
