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
        options: [Output.dryRunOption],
        details: """
            The new key is published at once and signs \(KeyAdministration.lead / 60) minutes later; the old one stays
            published until the last token it signed has expired. Makes the first key when there is none.
            """
    ) { invocation in
        let line = try CommandContext.run { context in
            let keys = try context.keys()
            let now = now()
            let isFirst = try await keys.list().allSatisfy { [.revoked, .gone].contains($0.state(at: now)) }
            if isFirst {
                if !invocation.isDryRun {
                    try await keys.makeFirstIfNeeded(by: context.administrator.actor)
                    await context.settle()
                }
                return "made the first key, which signs at once"
            }
            let key = try await context.change(invocation) { try await $0.rotateKey(keys) }
            let name = invocation.isDryRun ? "a key" : "key \(key.keyID)"
            return "published \(name), which signs in \(KeyAdministration.lead / 60) minutes"
        }
        Output.changes([line], invocation)
    }

    private static let revoke = Command(
        "key", "revoke", summary: "Take a key out of use and out of the JWKS at once, as after a leak.",
        positionals: ["KID"], options: [Output.dryRunOption],
        details: "Tokens signed by it no longer verify. The waiting key, or else a new one, signs from now on."
    ) { invocation in
        let keyID = invocation.positionals[0]
        try CommandContext.change(invocation) { context, changes in
            try await changes.revokeKey(keyID, try context.keys())
            return ["revoked key \(keyID)"]
        }
    }

    @Sendable private static func now() -> Int64 { Int64(Glibc.time(nil)) }
}

extension CommandContext {
    fileprivate func keys() throws -> KeyAdministration {
        KeyAdministration(store: SigningKeyStore(database: database), masterKeys: try masterKeys())
    }
}
