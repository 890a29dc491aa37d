import CArgon2
import Glibc
import Synchronization
import Testing

@testable import Argon2

@Suite("Argon2id (RFC 9106)") struct Argon2idTests {
    /// From libargon2's own test.c, version 0x13, argon2id.
    static let vectors:
        [(memoryKiB: UInt32, passes: UInt32, lanes: UInt32, password: String, salt: String, hash: String)] = [
            (65_536, 2, 1, "password", "somesalt", "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"),
            (256, 2, 1, "password", "somesalt", "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
            (256, 2, 2, "password", "somesalt", "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
            (65_536, 1, 1, "password", "somesalt", "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"),
            (
                65_536, 2, 1, "differentpassword", "somesalt",
                "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"
            ),
            (65_536, 2, 1, "password", "diffsalt", "bdf32b05ccc42eb15d58fd19b1f856b113da1e9a5874fdcc544308565aa8141c"),
        ]

    @Test("published answers", arguments: vectors)
    func vector(memoryKiB: UInt32, passes: UInt32, lanes: UInt32, password: String, salt: String, hash: String) throws {
        let like = PHCString(
            memoryKiB: memoryKiB, passes: passes, lanes: lanes, salt: Array(salt.utf8),
            hash: [UInt8](repeating: 0, count: 32))
        let computed = try #require(Argon2id.hash(Array(password.utf8), like: like))
        #expect(computed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == hash)
    }
}

@Suite("Password hashing") struct PasswordHasherTests {
    @Test("a hash has OWASP's parameters, and libargon2's own reader agrees with it") func encoding() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        let encoded = try await hasher.hash("correct horse")
        #expect(encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(argon2id_verify(encoded, "correct horse", 13) == ARGON2_OK.rawValue)
        #expect(try await hasher.verify("correct horse", against: encoded))
        #expect(try await !hasher.verify("Correct horse", against: encoded))
        #expect(try await hasher.hash("correct horse") != encoded)
    }

    @Test("hashes made elsewhere, at other parameters, verify") func foreign() async throws {
        var encoded = [CChar](repeating: 0, count: 256)
        let salt = Array("sixteen bytes ok".utf8)
        try #require(
            argon2id_hash_encoded(1, 64, 4, "s3cret", 6, salt, salt.count, 24, &encoded, encoded.count)
                == ARGON2_OK.rawValue)
        let text = String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        #expect(try await hasher.verify("s3cret", against: text))
        #expect(try await !hasher.verify("s3cre", against: text))
    }

    @Test("NUL and every other character counts") func bytes() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        let encoded = try await hasher.hash("alice\0secret")
        #expect(try await hasher.verify("alice\0secret", against: encoded))
        #expect(try await !hasher.verify("alice\0other", against: encoded))
        #expect(try await !hasher.verify("alice", against: encoded))
    }

    @Test("a password has 1 to 1024 bytes") func lengths() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        for (count, verifies) in [(0, false), (1, true), (1024, true), (1025, false)] {
            let password = String(repeating: "x", count: count)
            let encoded = try await hasher.hash(password)
            #expect(try await hasher.verify(password, against: encoded) == verifies)
        }
    }

    @Test("nobody's password and an unreadable hash are wrong") func nobody() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        #expect(try await !hasher.verify("x", against: nil))
        #expect(
            try await !hasher.verify(
                "x", against: "$argon2id$v=19$m=1048576,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"))
        #expect(try await !hasher.verify("x", against: ""))
    }

    @Test("an unknown name costs what a wrong password costs: the same work on the same queue") func equalTime()
        async throws
    {
        let hasher = PasswordHasher(threads: 1, queueLimit: 0)
        let fresh = try #require(PHCString(try await hasher.hash("right")))
        let dummy = PasswordHasher.dummy
        #expect(dummy.memoryKiB == fresh.memoryKiB && dummy.passes == fresh.passes && dummy.lanes == fresh.lanes)
        #expect(dummy.salt.count == fresh.salt.count && dummy.hash.count == fresh.hash.count)

        let latch = Latch()
        #expect(
            hasher.pool.submit {
                latch.wait()
                return {}
            })
        await #expect(throws: PasswordHasher.Busy.self) { try await hasher.verify("wrong", against: fresh.text) }
        await #expect(throws: PasswordHasher.Busy.self) { try await hasher.verify("wrong", against: nil) }
        latch.open()
    }

    @Test("what does not fit into the queue is Busy at once, the rest is done") func bounded() async throws {
        let hasher = PasswordHasher(threads: 1, queueLimit: 2)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(PasswordHasher.Busy) {
                        _ = try await hasher.hash("x")
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(into: (done: 0, busy: 0)) { counts, isDone in
                if isDone { counts.done += 1 } else { counts.busy += 1 }
            }
        }
        // One runs and two wait; how many more get in depends on how soon these are through.
        #expect(outcomes.done >= 3)
        #expect(outcomes.done + outcomes.busy == 20)
        #expect(try await hasher.hash("x").isEmpty == false)
    }
}

@Suite("The thread pool") struct ThreadPoolTests {
    @Test("takes as many jobs as run and wait, and no more until one is through") func limit() async {
        let pool = ThreadPool(threads: 1, waiting: 2)
        let release = Latch()
        await withCheckedContinuation { continuation in
            #expect(
                pool.submit {
                    release.wait()
                    return { continuation.resume() }
                })
            #expect(pool.submit { {} })
            #expect(pool.submit { {} })
            #expect(!pool.submit { {} })
            release.open()
        }
        #expect(pool.submit { {} })
        pool.stop()
        #expect(!pool.submit { {} })
    }

    @Test("jobs already taken are done after stop, and the threads let go of the pool") func stop() async {
        weak var gone: ThreadPool?
        let latch = Latch()
        await withCheckedContinuation { continuation in
            let pool = ThreadPool(threads: 1, waiting: 5)
            gone = pool
            #expect(
                pool.submit {
                    latch.wait()
                    return {}
                })
            #expect(pool.submit { { continuation.resume() } })
            pool.stop()
            latch.open()
        }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        while gone != nil, clock.now < deadline { await Task.yield() }
        #expect(gone == nil)
    }
}

/// Holds a thread until it is opened.
final class Latch: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .releasing) }
    func wait() { while !isOpen.load(ordering: .acquiring) { sched_yield() } }
}
