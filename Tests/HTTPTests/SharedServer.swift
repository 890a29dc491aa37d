/// One server for all tests that change nothing about it; it ends with the process.
enum SharedServer {
    /// `nonisolated(unsafe)`: made once, and only its port is read afterwards.
    nonisolated(unsafe) static let plain = makePlain()

    private static func makePlain() -> TestServer {
        do { return try TestServer() } catch { fatalError("no server: \(error)") }
    }
}
