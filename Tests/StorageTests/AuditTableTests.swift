import Postgres
import Storage
import StorageSupport
import TestSupport
import Testing

@Suite("The table of audit events") struct AuditTableTests {
    /// This month's partition.
    static let month = "(SELECT 'audit_events_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM'))"

    /// Runs SQL text on a session of its own, as a role if one is named.
    @discardableResult
    func execute(_ sql: String, as role: String? = nil, _ fixture: StorageFixture) throws -> [[String]] {
        let prefix = role.map { "SET ROLE \($0); " } ?? ""
        return try PostgresCluster.shared.execute(prefix + sql, in: fixture.connectionString)
    }

    /// A new role without rights; roles are the whole cluster's, so its name is the database's too.
    func makeRole(_ name: String, _ fixture: StorageFixture) async throws -> String {
        let database = try await fixture.sql("SELECT current_database()")[0].string(0)
        try execute("CREATE ROLE \(name)_\(database)", fixture)
        return "\(name)_\(database)"
    }

    func insert(at time: String = "now()", as role: String? = nil, _ fixture: StorageFixture) throws {
        let sql = "INSERT INTO audit_events (event, actor_kind, occurred_at) VALUES ('test', 'system', \(time))"
        try execute(sql, as: role, fixture)
    }

    func partitions(_ fixture: StorageFixture) async throws -> [String] {
        let rows = try await fixture.sql(
            """
            SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'audit_events'::regclass
            AND inhrelid <> 'audit_events_other'::regclass ORDER BY 1
            """)
        return rows.map { $0.string(0) }
    }

    /// What the partitions are called that there must be.
    func wanted(_ fixture: StorageFixture, months: ClosedRange<Int> = 0...2) async throws -> [String] {
        let rows = try await fixture.sql(
            """
            SELECT 'audit_events_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + i * interval '1 month',
                'YYYY_MM') FROM generate_series(\(months.lowerBound), \(months.upperBound)) AS i
            """)
        return rows.map { $0.string(0) }
    }

    func dropPartitions(_ fixture: StorageFixture) async throws {
        for name in try await partitions(fixture) { try execute("DROP TABLE \(name)", fixture) }
    }

    @Test("Nobody changes or deletes an event: not its owner, nor a role with every right, nor in a partition itself")
    func appendOnly() async throws {
        try await StorageFixture.run { fixture in
            try insert(fixture)
            try insert(at: "'2001-02-03'", fixture)
            let before = try await fixture.sql("SELECT count(*) FROM audit_events")[0].int(0)
            let everything = try await makeRole("everything", fixture)
            try execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO \(everything)", fixture)
            let owner = try await makeRole("owner", fixture)
            let month = try #require(try await wanted(fixture).first)
            let tables = ["audit_events", month, "audit_events_other"]
            for table in tables { try execute("ALTER TABLE \(table) OWNER TO \(owner)", fixture) }
            for role in [everything, owner, "postgres"] {
                for table in tables {
                    for statement in ["UPDATE \(table) SET event = 'x'", "DELETE FROM \(table)", "TRUNCATE \(table)"] {
                        let error = #expect(throws: TestFailure.self) { try execute(statement, as: role, fixture) }
                        let text = String(describing: error)
                        #expect(text.contains("audit events can only be added"), "\(statement) as \(role)")
                    }
                }
                try insert(as: role, fixture)
            }
            #expect(try await fixture.sql("SELECT count(*) FROM audit_events")[0].int(0) == before + 3)
            #expect(try await fixture.sql("SELECT count(*) FROM audit_events WHERE event = 'x'")[0].int(0) == 0)
        }
    }

    @Test("An event lands in its month's partition; one of a month without a partition in the default one")
    func routing() async throws {
        try await StorageFixture.run { fixture in
            #expect(try await partitions(fixture) == wanted(fixture))
            try insert(fixture)
            try insert(at: "now() + interval '2 years'", fixture)
            let rows = try await fixture.sql(
                "SELECT tableoid::regclass::text FROM audit_events WHERE event = 'test' ORDER BY occurred_at")
            let month = try #require(try await wanted(fixture).first)
            #expect(rows.map { $0.string(0) } == [month, "audit_events_other"])
        }
    }

    @Test("The partitions of this month and the next two are made once, however many nodes make them")
    func preparing() async throws {
        try await StorageFixture.run { fixture in
            let housekeeping = Housekeeping(database: fixture.database)
            try await dropPartitions(fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await housekeeping.preparePartitions() } }
                try await group.waitForAll()
            }
            #expect(try await partitions(fixture) == wanted(fixture))
            try await housekeeping.preparePartitions()
            #expect(try await partitions(fixture) == wanted(fixture))
            // Their indexes are the table's, none twice.
            let indexes = try await fixture.sql(
                """
                SELECT (SELECT count(*) FROM pg_index WHERE indrelid = 'audit_events'::regclass),
                    (SELECT count(*) FROM pg_index WHERE indrelid = \(Self.month)::regclass),
                    (SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = 'audit_events'::regclass)
                """)
            #expect(indexes[0].int(0) == indexes[0].int(1))
            #expect(indexes[0].bool(2))
            // And what keeps events as they are.
            try insert(fixture)
            let month = try #require(try await wanted(fixture).first)
            for statement in ["UPDATE \(month) SET event = 'x'", "TRUNCATE \(month)"] {
                #expect(throws: TestFailure.self) { try execute(statement, fixture) }
            }
        }
    }

    @Test("A role that may create nothing has the partitions made, in this schema whatever it puts in front of it")
    func otherRole() async throws {
        try await StorageFixture.run { fixture in
            try await dropPartitions(fixture)
            let role = try await makeRole("plain", fixture)
            try execute("GRANT SELECT, INSERT ON audit_events TO \(role)", fixture)
            #expect(throws: TestFailure.self) { try execute("CREATE TABLE own ()", as: role, fixture) }
            try execute(
                """
                CREATE TEMPORARY TABLE audit_events (occurred_at timestamptz) PARTITION BY RANGE (occurred_at);
                CREATE TEMPORARY TABLE audit_events_other (occurred_at timestamptz);
                INSERT INTO audit_events_other VALUES (now());
                SET search_path = pg_temp, public;
                SELECT public.prepare_audit_partitions();
                """, as: role, fixture)
            #expect(try await partitions(fixture) == wanted(fixture))
            try insert(as: role, fixture)
        }
    }

    @Test("A month that the default partition has begun stays there; the others get theirs")
    func defaultPartitionHoldsEvents() async throws {
        try await StorageFixture.run { fixture in
            let before = try await fixture.sql("SELECT count(*) FROM audit_events WHERE event = 'test'")[0].int(0)
            try await dropPartitions(fixture)
            try insert(fixture)
            try await Housekeeping(database: fixture.database).preparePartitions()
            #expect(try await partitions(fixture) == wanted(fixture, months: 1...2))
            try insert(fixture)
            let rows = try await fixture.sql(
                "SELECT count(*), count(DISTINCT tableoid) FROM audit_events WHERE event = 'test'")
            #expect(rows[0].int(0) == before + 2)
            #expect(rows[0].int(1) == 1)
        }
    }

    @Test("Making partitions waits for nobody and nobody waits for it: not for a sign-in under way, nor for a backup")
    func locks() async throws {
        try await StorageFixture.run { fixture in
            let housekeeping = Housekeeping(database: fixture.database)
            for name in try await wanted(fixture, months: 1...2) { try execute("DROP TABLE \(name)", fixture) }
            let write = Statement(
                "test audit write", "INSERT INTO audit_events (event, actor_kind) VALUES ('test', 'system')")
            let read = Statement("test audit read", "SELECT count(*) FROM audit_events")
            // Whoever reads all of it, as a backup does for hours, holds what attaching needs: left for later, while events
            // are written.
            try await fixture.database.transaction { transaction in
                _ = try await transaction.query(read)
                async let prepared: Void = housekeeping.preparePartitions()
                for _ in 0..<20 { _ = try await fixture.database.query(write) }
                try await prepared
            }
            #expect(try await partitions(fixture) == wanted(fixture, months: 0...0))
            // An event that is written and not yet committed is in nobody's way.
            try await fixture.database.transaction { transaction in
                _ = try await transaction.query(write)
                try await housekeeping.preparePartitions()
                #expect(try await partitions(fixture) == wanted(fixture))
            }
        }
    }
}
