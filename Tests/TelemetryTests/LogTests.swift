import Foundation
import Glibc
import JSON
import Testing

@testable import Telemetry

@Suite("Log lines") struct LogTests {
    @Test(
        "times are RFC 3339, UTC, milliseconds",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"), (951_782_399, 999_999_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, 1_000_000, "2000-02-29T00:00:00.001Z"),
            (1_769_903_999, 123_456_789, "2026-01-31T23:59:59.123Z"),
            (4_102_444_800, 20_000_000, "2100-01-01T00:00:00.020Z"),
        ])
    func time(second: Int, nanosecond: Int, text: String) {
        #expect(Timestamp.text(of: timespec(tv_sec: second, tv_nsec: nanosecond)) == text)
    }

    @Test("a line is one JSON object: time, level, event, then the fields") func line() {
        let line = Log.line(
            .warning, "database.lost", [JSON.Member("host", .string("a\nb")), JSON.Member("attempt", .integer(2))],
            at: timespec(tv_sec: 0, tv_nsec: 0))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"warning","event":"database.lost","host":"a\nb","attempt":2}"#
                + "\n")
    }

    @Test("levels are known by name", arguments: [("debug", 0), ("info", 1), ("warning", 2), ("error", 3)])
    func names(name: String, value: Int) throws {
        let level = try #require(Log.Level(name: name))
        #expect(level.rawValue == value)
        #expect(level.name == name)
        #expect(Log.Level(name: name.uppercased()) == nil)
    }

    @Test("what is below the minimum is not written") func minimum() {
        defer { Log.setMinimumLevel(.info) }
        Log.setMinimumLevel(.info)  // other suites of the same process may have set another
        #expect(!Log.isWritten(.debug) && Log.isWritten(.info))
        Log.setMinimumLevel(.error)
        #expect(!Log.isWritten(.warning) && Log.isWritten(.error))
        Log.setMinimumLevel(.debug)
        #expect(Log.isWritten(.debug))
    }

    @Test("a pipe that nobody empties loses lines, holds nothing up, and tells afterwards", arguments: [0, O_NONBLOCK])
    func fullPipe(flags: Int32) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(fcntl(ends[1], F_SETFL, flags) == 0)
        let output = LogOutput(descriptor: ends[1])
        func readAll() -> String {
            var buffer = [UInt8](repeating: 0, count: 200_000)
            let count = read(ends[0], &buffer, buffer.count)
            return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        }

        output.write(Array((String(repeating: "x", count: 100_000) + "\n").utf8))
        output.write(Array("lost\n".utf8))
        #expect(readAll() == String(repeating: "x", count: 65_536))
        output.write(Array("next\n".utf8))
        let lines = readAll().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4)
        #expect(lines.first == "")
        #expect(lines.dropFirst().first?.contains(#""event":"log.dropped","lines":2"#) == true)
        #expect(lines.suffix(2) == ["next", ""])
        output.write(Array("more\n".utf8))
        #expect(readAll() == "more\n")
    }

    @Test("a closed standard error is no trouble") func closed() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        let output = LogOutput(descriptor: ends[1])
        close(ends[0])
        output.write(Array("lost\n".utf8))
        output.write(Array("lost\n".utf8))
        close(ends[1])
        LogOutput(descriptor: -1).write(Array("lost\n".utf8))
    }

    @Test("lines of threads do not mix") func threads() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let writing = ends[1]
        let reading = ends[0]
        defer { close(reading) }
        let output = LogOutput(descriptor: writing)
        await withTaskGroup(of: Void.self) { group in
            for letter in "abcd" {
                group.addTask {
                    for _ in 0..<50 { output.write(Array((String(repeating: letter, count: 200) + "\n").utf8)) }
                }
            }
        }
        close(writing)
        // Not until the end of the file: programs that other suites start meanwhile may hold the writing end.
        try #require(fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(reading, &buffer, buffer.count), count > 0 { text += buffer.prefix(count) }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 200)
        #expect(lines.allSatisfy { $0.count == 200 && Set($0).count == 1 })
    }

    @Test("every event of the server is called noun.verb, as operators filter by it") func names() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        let isCalled = /\b(?:Log\.(?:debug|info|warning|error)|[Ll]og(?:\.write)?)\(\s*(?:\.\w+,\s*)?"(?<name>[^"]*)"/
        var names: Set<String> = []
        for file in files {
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for match in text.matches(of: isCalled) { names.insert(String(match.output.name)) }
        }
        #expect(names.count > 20)
        #expect(names.filter { $0.wholeMatch(of: /[a-z_]+\.[a-z_]+/) == nil }.isEmpty)
    }
}
