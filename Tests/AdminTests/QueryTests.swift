import Testing

@testable import Admin

@Suite("The query of an admin request") struct QueryTests {
    private func problem(_ text: String?, isChange: Bool = true, _ names: String...) -> Problem? {
        do {
            let query = try Query(text, isChange: isChange)
            for name in names where name == "limit" { _ = try query.limit() }
            for name in names where name == "since" { _ = try query.time(name) }
            for name in names where name == "after" { _ = try query.wholeNumber(name) }
            switch names.count {
            case 0: try query.allow()
            case 1: try query.allow(names[0])
            default: try query.allow(names[0], names[1])
            }
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test(
        "a dry run is asked for by true, and by nothing that could be meant to",
        arguments: [
            ("dry_run=true", true), ("dry_run=false", false), (nil, false), ("", false),
        ])
    func dryRun(text: String?, isDryRun: Bool) throws {
        #expect(try Query(text, isChange: true).isDryRun == isDryRun)
    }

    @Test(
        "what may have been meant as one changes nothing",
        arguments: [
            "dry_run", "dry_run=", "dry_run=1", "dry_run=TRUE", "dry_run=true&dry_run=true", "dry_run=&dry_run=true",
            "dryrun=true", "dry-run=true", "dry_run%00=true", "dry_run=true%00",
        ])
    func noDryRun(text: String) {
        #expect(problem(text)?.kind == .badRequest)
    }

    @Test("what only looks has no dry run") func reading() {
        #expect(problem("dry_run=true", isChange: false)?.fields.first?.field == "dry_run")
        #expect(problem("dry_run=true", isChange: true) == nil)
    }

    @Test("what is empty is refused, and not taken for all", arguments: ["q=", "q", "q=&q="]) func empty(text: String) {
        #expect(problem(text, "q")?.fields.first?.field == "q")
    }

    @Test("each parameter is known and comes once", arguments: ["limit=1&x=2", "limit=1&limit=1", "limit=1&=&y"])
    func known(text: String) {
        #expect(problem(text, "limit")?.kind == .badRequest)
    }

    @Test(
        "limit: 1 to 200 in decimal digits",
        arguments: [
            ("1", true), ("200", true), ("050", true), ("0", false), ("201", false), ("-1", false), ("%2B5", false),
            ("", false),
            ("5.0", false), ("1e1", false), ("99999999999999999999", false), ("%D9%A1", false), ("%201", false),
        ])
    func limit(text: String, accepted: Bool) {
        #expect((problem("limit=\(text)", "limit") == nil) == accepted)
    }

    @Test("limit is 50 unless said") func standard() throws {
        #expect(try Query(nil, isChange: false).limit() == 50)
    }

    @Test(
        "a cursor fits 64 bits",
        arguments: [
            ("0", true), ("9223372036854775807", true), ("9223372036854775808", false), ("x", false),
        ])
    func cursor(text: String, accepted: Bool) {
        #expect((problem("after=\(text)", "after") == nil) == accepted)
    }

    @Test("a time is one of RFC 3339", arguments: [("2026-01-31T23:59:59Z", true), ("2026-01-31", false), ("", false)])
    func time(text: String, accepted: Bool) {
        #expect((problem("since=\(text)", "since") == nil) == accepted)
    }

    @Test(
        "NUL, broken escapes and bytes that are no UTF-8 are refused",
        arguments: ["q=%00", "q=%FF", "q=%ED%A0%80", "%00=q"])
    func unreadable(text: String) {
        #expect(problem(text, "q")?.kind == .badRequest)
    }
}
