import Glibc

/// All environment variables of this process.
///
/// Read from the kernel: `environ` is a mutable global, which Swift 6 rightly refuses, and getenv(3) knows only names that one
/// knows already. Nothing here ever changes its own environment.
public func currentEnvironment() -> [String: String] {
    let bytes = (try? Files.read("/proc/self/environ", limit: 16 << 20)) ?? []
    var environment: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
        let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        environment[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
    }
    return environment
}
