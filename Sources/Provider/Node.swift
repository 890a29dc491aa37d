import Argon2
import Glibc
import Issuance
import JSON
import Pages
import Postgres
import Storage
import Synchronization
import Telemetry

/// What all loops of this process share, and what keeps it up to date.
final class Node: Sendable {
    let directory = ClientDirectory()
    let switchBoard = SwitchBoard()
    let barrier = ChangeBarrier()
    let auditLimiter = AuditLimiter()
    let secretUse = SecretUse()
    let keyRing: KeyRing
    let hasher: PasswordHasher
    let masterKeys: MasterKeys
    let now: Now = { Int64(time(nil)) }
    /// The latest reading of the keys that a change has caused.
    private let reading = Mutex<Task<Void, Never>?>(nil)

    init(_ configuration: Configuration) {
        masterKeys = configuration.masterKeys
        keyRing = KeyRing(masterKeys, now: now)
        hasher = PasswordHasher(threads: configuration.passwordThreads)
        PageLayout.configure(basePath: configuration.issuer.path)
    }

    // MARK: Keys

    /// Whether a key is known that signs now.
    var canSign: Bool { keyRing.signer() != nil }

    /// Reads the signing keys; makes the first one when there is none.
    func loadKeys(from database: Database) async throws {
        let store = SigningKeyStore(database: database)
        try await keyRing.load(from: store)
        guard !canSign else { return }
        try await KeyAdministration(store: store, masterKeys: masterKeys).makeFirstIfNeeded(by: .system)
        try await keyRing.load(from: store)
    }

    /// The same, when it may wait: what we know stays in use until we know better.
    private func reloadKeys(from database: Database) async {
        do { try await loadKeys(from: database) } catch {
            Log.warning("signing_keys.not_read", [.init("reason", .string("\(error)"))])
        }
    }

    // MARK: Changes made elsewhere

    /// Follows the changes that other nodes and commands make. On the worker's loop; the listener must be kept.
    func makeListener(_ worker: Worker, _ configuration: DatabaseConfiguration) -> Listener {
        Listener(
            loop: worker.loop, configuration: configuration, channels: [ChangeBarrier.channel],
            presence: barrier.presence
        ) { [self] event in
            directory.handle(event)
            switchBoard.handle(event)
            let answer = barrier.handle(event)
            switch event {
            case .disconnected where worker.isDraining: break
            case .disconnected: Log.warning("changes.not_heard")
            case .connected, .notification(_, "keys"): readKeysOnceMore(worker)
            case .notification, .confirmed: break
            }
            if let answer { give(answer, worker) }
        }
    }

    /// One after the other, so that what was read last is what stays.
    private func readKeysOnceMore(_ worker: Worker) {
        reading.withLock { reading in
            let former = reading
            reading = Task(executorPreference: worker.loop) {
                await former?.value
                await self.reloadKeys(from: worker.database)
            }
        }
    }

    /// The caches have dropped what is stale; the keys may still be on their way.
    private func give(_ answer: String, _ worker: Worker) {
        let reading = reading.withLock { $0 }
        Task(executorPreference: worker.loop) {
            await reading?.value
            await self.barrier.answer(answer, via: worker.database)
        }
    }

    // MARK: The record

    /// Once a minute, for as long as the process runs: what was left out of the record goes on it as a number. Apart from the
    /// rest of the house, which may take longer than a minute.
    func keepRecord(_ worker: Worker) async {
        while !Task.isCancelled {
            await worker.loop.sleep(for: .seconds(60))
            await recordSuppressed(in: worker.database)
        }
    }

    /// The same at once, for who stops.
    func recordSuppressed(in database: Database) async {
        do {
            try await AuditStore(database: database, limiter: auditLimiter).recordSuppressed()
        } catch {
            Log.warning("audit.not_recorded", [.init("reason", .string(error.detail))])
        }
    }

    // MARK: Once a minute

    /// For as long as the process runs: expired rows, partitions of the record, and keys whose time has come.
    func keepHouse(_ worker: Worker) async {
        let housekeeping = Housekeeping(database: worker.database)
        while !Task.isCancelled {
            await worker.loop.sleep(for: .seconds(60))
            await reloadKeys(from: worker.database)
            do {
                while try await housekeeping.runOnce() { await worker.loop.sleep(for: .milliseconds(50)) }
                try await housekeeping.preparePartitions()
            } catch {
                Log.warning("housekeeping.failed", [.init("reason", .string("\(error)"))])
            }
        }
    }
}
