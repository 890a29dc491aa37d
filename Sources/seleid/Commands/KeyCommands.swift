import Administration
import Glibc
import Issuance
import Provider
import Storage

enum KeyCommands {
    static let commands = [list, rotate, revoke]

    private static let list = Command(
        "key", "list", summary: "List the signing keys and where each stands in its life.", options: [Output.jsonOption]
    ) { invocation in
        let keys = try CommandContext.run { try await SigningKeyStore(database: $0.database).all() }
        let now = now()
        Output.list(
            keys, invocation, json: { $0.json(at: now) }, ["KID", "STATE", "SIGNS FROM", "RETIRED", "GONE"]
        ) { key in
            // A revoked key has left the JWKS, whatever was planned for it.
            let goneAt = key.revokedAt ?? key.goneAt
            let retiredAt = key.retiredAt.map { min($0, key.revokedAt ?? $0) }
            return [
                key.keyID, key.state(at: now).rawValue, Output.time(key.signsFrom),
                Output.time(retiredAt), Output.time(goneAt),
            ]
        }
    }

    private static let rotate = Command(
        "key", "rotate", summary: "Publish a new signing key, which takes over once everyone can know it.",
        details: """
            The new key is published at once and signs \(KeyAdministration.lead / 60) minutes later; the old one stays
            published until the last token it signed has expired. Makes the first key when there is none.
            """
    ) { _ in
        let result = try changeKeys { keys, actor -> KeyAdministration.RotationResult? in
            let isFirst = try await keys.list().allSatisfy {
                $0.state(at: now()) == .revoked || $0.state(at: now()) == .gone
            }
            if isFirst {
                try await keys.makeFirstIfNeeded(by: actor)
                return nil
            }
            return try await keys.rotate(by: actor)
        }
        switch result {
        case nil: printOut("made the first key, which signs at once\n")
        case .published(let keyID):
            printOut("published key \(keyID), which signs in \(KeyAdministration.lead / 60) minutes\n")
        case .alreadyPending(let keyID):
            throw SystemError("key \(keyID) waits to sign already; nothing was changed")
        }
    }

    private static let revoke = Command(
        "key", "revoke", summary: "Take a key out of use and out of the JWKS at once, as after a leak.",
        positionals: ["KID"],
        details: "Tokens signed by it no longer verify. The waiting key, or else a new one, signs from now on."
    ) { invocation in
        let keyID = invocation.positionals[0]
        guard try changeKeys({ try await $0.revoke(keyID, by: $1) }) else {
            throw SystemError("there is no key \(quoted(keyID)) that could be revoked")
        }
        printOut("revoked key \(keyID)\n")
    }

    @Sendable private static func now() -> Int64 { Int64(Glibc.time(nil)) }

    private static func changeKeys<Value: Sendable>(
        _ body: @escaping @Sendable (KeyAdministration, AuditEvent.Actor) async throws -> Value
    ) throws -> Value {
        try CommandContext.run { context in
            let keys = KeyAdministration(
                store: SigningKeyStore(database: context.database), masterKeys: try context.masterKeys())
            let value = try await body(keys, context.administrator.actor)
            await context.settle()
            return value
        }
    }
}
