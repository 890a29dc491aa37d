import JSON
import Postgres
import StorageSupport
import TestSupport
import Testing

@testable import Storage

@Suite("The record") struct AuditStoreTests {
    func run(_ body: @escaping @Sendable (StorageFixture, AuditStore) async throws -> Void) async throws {
        try await StorageFixture.run { fixture in
            try await body(fixture, AuditStore(database: fixture.database))
        }
    }

    let origin = AuditEvent.Origin(address: "192.0.2.7", requestID: "r1")

    @Test("An event says who, from where, what it is about, and why; what it does not have is left out")
    func recorded() async throws {
        try await run { fixture, audit in
            try await audit.record(
                AuditEvent(
                    .tokenRevoked, by: .client("web1"), from: origin, clientID: "web1", subject: "s1",
                    detail: [.init("reason", .string("a \"quoted\" \u{1F511} word"))]))
            try await audit.record(AuditEvent(.keyCreated, by: .system, from: .none))
            let events = try await audit.list(AuditFilter(), limit: 2)
            #expect(events.map(\.kind) == ["key.created", "token.revoked"])
            let full = try #require(events.last)
            let time = try #require(try await fixture.sql("SELECT now()::date::text").first?.string(0))
            #expect(full.time.hasPrefix(time) && full.time.wholeMatch(of: /[-0-9]{10}T[:0-9]{8}\.[0-9]{3}Z/) != nil)
            let json = String(decoding: full.json.serialized(), as: UTF8.self)
            #expect(
                json == """
                    {"id":\(full.id),"time":"\(full.time)","event":"token.revoked","actor":{"kind":"client","name":"web1"},\
                    "client_id":"web1","sub":"s1","address":"192.0.2.7","request_id":"r1",\
                    "detail":{"reason":"a \\"quoted\\" \u{1F511} word"}}
                    """)
            let bare = try #require(events.first)
            #expect(
                String(decoding: bare.json.serialized(), as: UTF8.self)
                    == #"{"id":\#(bare.id),"time":"\#(bare.time)","event":"key.created","actor":{"kind":"system"},"detail":{}}"#
            )
        }
    }

    @Test("Every filter takes what fits it and leaves the rest; together they narrow")
    func filters() async throws {
        try await run { fixture, audit in
            try await audit.record(
                AuditEvent(.tokenRefused, by: .client("web1"), from: origin, clientID: "web1", subject: "s1"))
            try await audit.record(
                AuditEvent(.tokenRefused, by: .anonymous, from: .none, clientID: "web2", subject: "s2"))
            try await audit.record(AuditEvent(.switchSet, by: .adminToken("ci"), from: origin))
            _ = try await fixture.sql(
                """
                INSERT INTO audit_events (event, actor_kind, actor, occurred_at)
                VALUES ('stone.turned', 'geologist', 'g1', '2001-02-03 04:05:06.789+00')
                """)
            func found(_ set: (inout AuditFilter) -> Void) async throws -> [String] {
                var filter = AuditFilter()
                set(&filter)
                return try await audit.list(filter, limit: 100).map { "\($0.kind) \($0.actorKind)" }
            }
            let (client, anonymous) = ("token.refused client", "token.refused anonymous")
            let (admin, old) = ("switch.set admin_token", "stone.turned geologist")
            #expect(try await found { $0.kinds = ["token.refused", "stone.turned"] } == [old, anonymous, client])
            #expect(try await found { $0.kinds = [] } == [])
            #expect(try await found { $0.actorKind = "admin_token" } == [admin])
            #expect(try await found { $0.actor = "ci" } == [admin])
            #expect(try await found { $0.actor = "web1" } == [client])
            #expect(
                try await found {
                    $0.clientID = "web2"
                    $0.kinds = ["token.refused"]
                } == [anonymous])
            #expect(try await found { $0.subject = "s1" } == [client])
            #expect(try await found { $0.requestID = "r1" } == [admin, client])
            #expect(
                try await found {
                    $0.requestID = "r1"
                    $0.clientID = "web1"
                } == [client])
            // 04:05:06.789 is behind the second's beginning and before the next.
            let second: Int64 = 981_173_106
            #expect(try await found { $0.until = second + 1 } == [old])
            #expect(try await found { $0.until = second } == [])
            #expect(
                try await found {
                    $0.since = second
                    $0.until = second + 1
                } == [old])
            #expect(try await !found { $0.since = second + 1 }.contains(old))
            #expect(try await found { $0.since = .max } == [])
            #expect(try await found { $0.until = .min } == [])
        }
    }

    @Test("Pages follow one another without gap or repeat, the newest first or the oldest first")
    func pages() async throws {
        try await run { fixture, audit in
            for number in Int64(0)..<10 {
                try await audit.record(
                    AuditEvent(.switchSet, by: .system, from: .none, detail: [.init("number", .integer(number))]))
            }
            var filter = AuditFilter()
            filter.kinds = ["switch.set"]
            for isNewestFirst in [true, false] {
                var numbers: [Int64?] = []
                var cursor: Int64?
                while true {
                    let page =
                        isNewestFirst
                        ? try await audit.list(filter, before: cursor, limit: 4)
                        : try await audit.export(filter, after: cursor, limit: 4)
                    guard let last = page.last else { break }
                    #expect(page.count <= 4)
                    numbers += page.map { $0.detail["number"]?.integerValue }
                    cursor = last.id
                }
                #expect(numbers == (isNewestFirst ? Array((0..<10).reversed()) : Array(0..<10)))
            }
        }
    }

    @Test("Refusals over the limit are counted, and the number goes on record; other clients and kinds are not hit")
    func limit() async throws {
        try await run { fixture, _ in
            let limiter = AuditLimiter(limit: 3)
            let audit = AuditStore(database: fixture.database, limiter: limiter)
            for _ in 0..<8 {
                try await audit.recordRefusal(AuditEvent(.tokenRefused, by: .anonymous, from: origin, clientID: "web1"))
            }
            try await audit.recordRefusal(AuditEvent(.tokenRefused, by: .anonymous, from: origin, clientID: "web2"))
            try await audit.recordRefusal(
                AuditEvent(.authorizationRefused, by: .anonymous, from: origin, clientID: "web1"))
            for _ in 0..<5 {
                try await audit.record(AuditEvent(.tokenRefused, by: .anonymous, from: origin, clientID: "web3"))
            }
            func count(_ condition: String) async throws -> Int64 {
                try await fixture.sql(
                    "SELECT count(*) FROM audit_events WHERE event LIKE '%.refused' AND \(condition)")[0]
                    .int(0)
            }
            #expect(try await count("client_id = 'web1' AND event = 'token.refused'") == 3)
            #expect(try await count("client_id = 'web2'") == 1)
            #expect(try await count("client_id = 'web1' AND event = 'authorization.refused'") == 1)
            #expect(try await count("client_id = 'web3'") == 5)

            // Not written: not forgotten.
            _ = try await fixture.sql("ALTER TABLE audit_events RENAME TO elsewhere")
            await #expect(throws: DatabaseError.self) { try await audit.recordSuppressed() }
            _ = try await fixture.sql("ALTER TABLE elsewhere RENAME TO audit_events")
            try await audit.recordSuppressed()
            try await audit.recordSuppressed()
            let rows = try await fixture.sql(
                "SELECT event, client_id, actor_kind, detail::text FROM audit_events WHERE detail ? 'suppressed'")
            #expect(rows.count == 1)
            #expect(rows[0].string(0) == "token.refused" && rows[0].string(1) == "web1")
            #expect(rows[0].string(2) == "system" && rows[0].string(3) == #"{"suppressed": 5}"#)

            // A new minute.
            try await audit.recordRefusal(AuditEvent(.tokenRefused, by: .anonymous, from: origin, clientID: "web1"))
            #expect(try await count("client_id = 'web1' AND event = 'token.refused'") == 5)
        }
    }

    @Test("A statement that records as well does nothing when it cannot record, and that is no refusal")
    func unrecorded() async throws {
        try await run { fixture, audit in
            let grant = try await fixture.makeGrant()
            _ = try await fixture.rotate(grant, 0)
            _ = try await fixture.rotate(grant, 1)
            _ = try await fixture.sql("ALTER TABLE audit_events RENAME TO elsewhere")
            func isUnavailable(_ body: () async throws -> Void) async -> Bool {
                do { try await body() } catch DatabaseError.unavailable { return true } catch {}
                return false
            }
            #expect(await isUnavailable { try await audit.record(AuditEvent(.keyCreated, by: .system, from: .none)) })
            #expect(await isUnavailable { _ = try await fixture.saveCode([77]) })
            #expect(await isUnavailable { _ = try await fixture.redeem() })  // a replay
            #expect(await isUnavailable { _ = try await fixture.rotate(grant, 0) })  // reuse
            let consents = ConsentStore(database: fixture.database)
            #expect(
                await isUnavailable {
                    try await consents.add(["email"], by: fixture.session, clientID: "web1", origin: .none)
                })
            let alice = try #require(
                try await AccountStore(database: fixture.database).find(username: "alice@example.test"))
            #expect(
                await isUnavailable {
                    _ = try await SessionStore(database: fixture.database).signIn(
                        secretHash: [7], formerSecretHash: nil, newSID: "new", account: alice, authTime: 1, acr: "acr",
                        amr: ["pwd"], lifetime: 60, clientID: "web1", origin: .none)
                })
            let rows = try await fixture.sql(
                """
                SELECT (SELECT count(*) FROM browser_sessions), (SELECT count(*) FROM authorization_codes),
                    (SELECT count(*) FROM consents WHERE 'email' = ANY (scope)),
                    (SELECT count(*) FROM grants WHERE ended_at IS NOT NULL)
                """)
            #expect((0..<4).map { rows[0].int($0) } == [1, 1, 0, 0])
            // What changes nothing remarkable needs no record.
            guard case .fresh = try await fixture.rotate(grant, 2) else { throw TestFailure("not rotated") }
        }
    }
}

@Suite("The bound on refusals in the record") struct AuditLimiterTests {
    @Test("Of each kind and client so many a minute; the rest is counted, and the count is given out once")
    func counts() {
        let limiter = AuditLimiter(limit: 2)
        func admitted(_ kind: AuditEvent.Kind, _ clientID: String, of count: Int) -> Int {
            (0..<count).count { _ in limiter.admits(kind, clientID: clientID) }
        }
        #expect(admitted(.tokenRefused, "a", of: 5) == 2)
        #expect(admitted(.tokenRefused, "b", of: 2) == 2)
        #expect(admitted(.authorizationRefused, "a", of: 3) == 2)
        let suppressed = limiter.endMinute().sorted { $0.count > $1.count }
        #expect(suppressed.map(\.count) == [3, 1])
        #expect(suppressed.map(\.kind) == [.tokenRefused, .authorizationRefused])
        #expect(suppressed.map(\.clientID) == ["a", "a"])
        #expect(limiter.endMinute().isEmpty)
        #expect(admitted(.tokenRefused, "a", of: 1) == 1)
    }

    @Test("What could not be written is counted on, and leaves the new minute its room")
    func putBack() throws {
        let limiter = AuditLimiter(limit: 1)
        for _ in 0..<3 { _ = limiter.admits(.tokenRefused, clientID: "a") }
        limiter.putBack(try #require(limiter.endMinute().first))
        #expect(limiter.admits(.tokenRefused, clientID: "a"))
        #expect(!limiter.admits(.tokenRefused, clientID: "a"))
        #expect(limiter.endMinute().map(\.count) == [3])
    }

    @Test("Memory is bounded: clients beyond the capacity are counted together")
    func capacity() {
        let limiter = AuditLimiter(limit: 5, capacity: 2)
        for client in 0..<1_000 { _ = limiter.admits(.tokenRefused, clientID: "client \(client)") }
        #expect(limiter.admits(.tokenRefused, clientID: "client 1"))
        let suppressed = limiter.endMinute()
        #expect(suppressed.map(\.clientID) == [nil])
        #expect(suppressed.map(\.count) == [998])
    }
}

@Suite("When client secrets were last used") struct SecretUseTests {
    @Test("Once an hour for each secret, however often it is used; and memory is bounded")
    func news() {
        let use = SecretUse(capacity: 2)
        #expect(use.isNews(of: 1, at: 7_199))
        #expect(!use.isNews(of: 1, at: 7_199))
        #expect(!use.isNews(of: 1, at: 3_600))
        #expect(use.isNews(of: 2, at: 7_199))
        #expect(use.isNews(of: 1, at: 7_200))
        #expect(!use.isNews(of: 1, at: 10_799))
        #expect(use.isNews(of: 3, at: 7_200))
        #expect(use.isNews(of: 1, at: 7_200), "forgotten rather than kept beyond the capacity")
    }

    @Test("The hour is stored, never an earlier one; nobody is told of it")
    func stored() async throws {
        try await StorageFixture.run { fixture in
            let clients = ClientStore(database: fixture.database)
            let id = try await clients.addSecret([1], to: "web1", expiresAt: nil).id
            #expect(try await clients.secrets(of: "web1").map(\.lastUsedAt) == [nil])
            try await clients.noteUse(ofSecret: id)
            let now = try await fixture.sql("SELECT extract(epoch FROM now())::bigint")[0].int(0)
            let used = try #require(try await clients.secrets(of: "web1").first?.lastUsedAt)
            #expect(used % 3_600 == 0 && (0...3_601).contains(now - used))
            _ = try await fixture.sql("UPDATE client_secrets SET last_used_at = now() + interval '1 day'")
            let later = try await clients.secrets(of: "web1").first?.lastUsedAt
            try await clients.noteUse(ofSecret: id)
            #expect(try await clients.secrets(of: "web1").first?.lastUsedAt == later)
        }
    }
}
