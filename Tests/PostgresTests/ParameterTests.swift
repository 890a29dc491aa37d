import Postgres
import TestSupport
import Testing

@Suite("Parameters and results") struct ParameterTests {
    @Test("integers of all widths come back as they went")
    func integers() async throws {
        try await withDatabase(configuration()) { database in
            for value in [0, 1, -1, 32_767, -32_768] as [Int64] {
                let row = try await database.row(sql("select $1::int8, $1::int, $1::int2"), [.int(value)])
                #expect([row.int(0), row.int(1), row.int(2)] == [value, value, value])
            }
            for value in [Int64.max, Int64.min, 1 << 31, -(1 << 31) - 1] as [Int64] {
                #expect(try await database.int(sql("select $1::int8"), [.int(value)]) == value)
            }
            for value in [Int64(Int32.max), Int64(Int32.min)] {
                #expect(try await database.int(sql("select $1::int"), [.int(value)]) == value)
            }
        }
    }

    @Test("an integer that does not fit its column is refused, not cut")
    func integerOverflow() async throws {
        try await withDatabase(configuration()) { database in
            #expect(await database.failure(sql("select $1::int"), [.int(1 << 31)]) == "22003")
        }
    }

    @Test(
        "texts come back byte for byte",
        arguments: ["", "a", "naïve ☕️ 日本語 🦊", "\u{1}\r\n\t\u{7f}", "'\"\\$1--", String(repeating: "é", count: 200_000)])
    func texts(_ text: String) async throws {
        try await withDatabase(configuration()) { database in
            let statement = sql("select $1::text, $1::varchar, octet_length($1::text)")
            let row = try await database.row(statement, [.text(text)])
            #expect(row.string(0) == text)
            #expect(row.string(1) == text)
            #expect(row.int(2) == Int64(text.utf8.count))
        }
    }

    @Test("bytes of every value, none, and many come back as they went")
    func bytes() async throws {
        try await withDatabase(configuration()) { database in
            for value in [[], [0], Array(0...255), [UInt8](repeating: 0, count: 300_000)] as [[UInt8]] {
                let row = try await database.row(sql("select $1::bytea, length($1)"), [.bytes(value)])
                #expect(row.bytes(0) == value)
                #expect(row.int(1) == Int64(value.count))
            }
        }
    }

    @Test("booleans, json and jsonb")
    func others() async throws {
        try await withDatabase(configuration()) { database in
            let statement = sql("select $1, not $1, $2::json, $2::jsonb, 'x'::name, 'y'::char(3)")
            let row = try await database.row(statement, [.bool(true), .text(#"{"b":1, "a":[true]}"#)])
            #expect(row.bool(0))
            #expect(!row.bool(1))
            #expect(row.string(2) == #"{"b":1, "a":[true]}"#)
            #expect(row.string(3) == #"{"a": [true], "b": 1}"#)
            #expect(row.string(4) == "x")
            #expect(row.string(5) == "y  ")
        }
    }

    @Test(
        "lists of text, also empty and with every special character",
        arguments: [[], [""], ["a", "", "b,c", "{}", "\"\\", "NULL", "日本"], (0..<1000).map { "\($0)" }])
    func lists(_ list: [String]) async throws {
        try await withDatabase(configuration()) { database in
            let statement = sql("select $1::text[], cardinality($1), $1::varchar[]")
            let row = try await database.row(statement, [.texts(list)])
            #expect(row.strings(0) == list)
            #expect(row.int(1) == Int64(list.count))
            #expect(row.strings(2) == list)
        }
    }

    @Test("NULL is not the empty value")
    func null() async throws {
        try await withDatabase(configuration()) { database in
            let statement = sql("select $1::text is null, $2::bytea is null, $3::int8 is null, $4::text[] is null")
            let nulls = try await database.row(statement, [.null, .null, .null, .null])
            #expect((0..<4).allSatisfy { nulls.bool($0) })
            let values = try await database.row(statement, [.text(""), .bytes([]), .int(0), .texts([])])
            #expect((0..<4).allSatisfy { !values.bool($0) })
            let row = try await database.row(sql("select null::text, null::int, null::bytea"))
            #expect(row.isNull(0))
            #expect(row.optionalString(0) == nil)
            #expect(row.optionalInt(1) == nil)
            #expect(row.optionalBytes(2) == nil)
        }
    }

    @Test("a statement first used with NULLs takes values afterwards, and the other way round")
    func nullFirst() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (a int, b bytea, c text, d boolean)")
            let insert = sql("insert into t values ($1, $2, $3, $4) returning a, b, c, d")
            let calls: [[Parameter]] = [
                [.null, .null, .null, .null], [.int(7), .bytes([1]), .text("x"), .bool(true)],
                [.int(7), .null, .text("x"), .null], [.null, .bytes([1]), .null, .bool(true)],
                [.null, .null, .null, .null],
            ]
            for call in calls + calls {
                let row = try await database.row(insert, call)
                for (column, parameter) in call.enumerated() {
                    if case .null = parameter { #expect(row.isNull(column)) } else { #expect(!row.isNull(column)) }
                }
                if !row.isNull(0) { #expect(row.int(0) == 7) }
            }
        }
    }

    @Test("NUL in a text is refused before it is sent, never cut", arguments: ["\0", "a\0b", "ab\0", "日\0", "\0\0"])
    func nul(_ text: String) async throws {
        try await withDatabase(configuration()) { database in
            #expect(await database.failure(sql("select $1::text as refused"), [.text(text)]) == "22021")
            #expect(await database.failure(sql("select $1::text[] as refused"), [.texts(["a", text])]) == "22021")
            await #expect(throws: DatabaseError.self) {
                try await database.transaction { try await $0.execute("select 1; -- \(text)") }
            }
            // The same statement goes on working, and bytes may hold NULs.
            let row = try await database.row(sql("select $1::text as refused"), [.text("a")])
            #expect(row.string(0) == "a")
        }
    }

    @Test("rows and the number of rows touched")
    func counts() async throws {
        try await withDatabase(configuration()) { database in
            try await database.execute("create table t (a int primary key)")
            let inserted = try await database.query(sql("insert into t select generate_series(1, 1000)"))
            #expect(inserted.affected == 1000)
            #expect(inserted.isEmpty)
            let rows = try await database.query(sql("select a from t order by a"))
            #expect(rows.count == 1000)
            #expect(rows.map { $0.int(0) } == Array(1...1000))
            #expect(try await database.query(sql("update t set a = a where a > 990 returning a")).affected == 10)
            #expect(try await database.query(sql("delete from t where a = 5")).affected == 1)
            #expect(try await database.query(sql("delete from t where a = 5")).affected == 0)
            #expect(try await database.query(sql("select a from t where a = 5")).first == nil)
        }
    }

    @Test("sessions are in UTC, UTF-8 and read committed, and say who they are")
    func session() async throws {
        try await withDatabase(configuration()) { database in
            let statement = sql(
                """
                select current_setting('timezone'), current_setting('client_encoding'),
                current_setting('default_transaction_isolation'), current_setting('application_name'),
                current_setting('statement_timeout')
                """)
            let row = try await database.row(statement)
            #expect((0..<5).map { row.string($0) } == ["UTC", "UTF8", "read committed", "seleid", "5s"])
        }
    }

    @Test("the clock offset to a database on the same machine is next to nothing")
    func clockOffset() async throws {
        try await withDatabase(configuration()) { database in
            let offset = try await database.clockOffset()
            #expect(abs(offset) <= 1000)
        }
    }
}
