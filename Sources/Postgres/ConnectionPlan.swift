import CPostgreSQL
import Glibc

/// A connection string taken apart: what to tell libpq about each of its hosts, and which of them to try first.
///
/// The hosts are tried one at a time by us rather than by libpq, because libpq's non-blocking way in has no time-out of
/// its own: a first host that swallows packets would keep it from ever reaching the second.
final class ConnectionPlan {
    private let common: [String: String]
    private let hosts: [[String: String]]
    /// The host that was good last.
    private(set) var preferred = 0

    var hostCount: Int { hosts.count }

    /// nil if libpq does not understand the string.
    init?(_ connectionString: String) {
        guard !connectionString.holdsNUL, let parsed = ConnectionPlan.parse(connectionString) else { return nil }
        let split = ConnectionPlan.split(parsed)
        hosts = split.hosts
        common = ConnectionPlan.defaults
            .merging(split.rest) { _, given in given }
            .merging(ConnectionPlan.fixed) { _, ours in ours }
    }

    /// The keywords and values for one host.
    func parameters(host: Int) -> [String: String] {
        common.merging(hosts[host]) { _, ours in ours }
    }

    /// Says that `host` is the primary now.
    func prefer(host: Int) { preferred = host }

    /// Says that `host` is no primary any more.
    func avoid(host: Int) { if preferred == host { preferred = (host + 1) % hosts.count } }

    /// A host that is gone without a word is noticed within some 20 s on an idle connection, and 10 s after something
    /// was sent. GSS encryption is asked for by those who use it: trying it costs start-up time.
    private static let defaults = [
        "target_session_attrs": "read-write", "application_name": "seleid", "gssencmode": "disable",
        "keepalives": "1", "keepalives_idle": "5", "keepalives_interval": "5", "keepalives_count": "3",
        "tcp_user_timeout": "10000",
    ]

    /// Strings are UTF-8 on our side, always.
    private static let fixed = ["client_encoding": "UTF8"]

    /// The settings that the string itself gives.
    private static func parse(_ connectionString: String) -> [String: String]? {
        guard let options = PQconninfoParse(connectionString, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }

    private static func split(_ settings: [String: String]) -> (hosts: [[String: String]], rest: [String: String]) {
        func list(_ keyword: String) -> [String] {
            settings[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let names = list("host")
        let addresses = list("hostaddr")
        let ports = list("port")
        let count = max(names.count, addresses.count)
        // What does not match is left to libpq, which says so; a preference among standbys needs all hosts at once.
        guard count > 1, settings["target_session_attrs"] != "prefer-standby",
            names.isEmpty || names.count == count, addresses.isEmpty || addresses.count == count,
            ports.count <= 1 || ports.count == count
        else { return ([[:]], settings) }
        var rest = settings
        for keyword in ["host", "hostaddr", "port"] { rest[keyword] = nil }
        let hosts = (0..<count).map { index in
            var host: [String: String] = [:]
            if !names.isEmpty { host["host"] = names[index] }
            if !addresses.isEmpty { host["hostaddr"] = addresses[index] }
            if let port = ports.count == 1 ? ports.first : ports.isEmpty ? nil : ports[index] { host["port"] = port }
            return host
        }
        return (hosts, rest)
    }
}

/// Calls `body` with the parameters as two C arrays that end in NULL.
func withKeywordArrays<Result>(
    _ parameters: [String: String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = []
    defer { for copy in copies { free(copy) } }
    func copy(_ text: String) -> UnsafePointer<CChar>? {
        let copied = strdup(text)
        copies.append(copied)
        return UnsafePointer(copied)
    }
    let keywords = parameters.keys.map(copy) + [nil]
    let values = parameters.values.map(copy) + [nil]
    return body(keywords, values)
}
