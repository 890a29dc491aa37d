import Postgres
import TestSupport
import Testing

@Suite("TLS") struct TLSTests {
    @Test("the client checks the server's certificate, and large values go both ways")
    func verified() async throws {
        let cluster = try PostgresCluster(tls: true)
        defer { cluster.remove() }
        var configuration = DatabaseConfiguration(connectionString: cluster.tlsConnectionString())
        configuration.sharedConnections = 1
        try await withDatabase(configuration) { database in
            let isEncrypted = try await database.row(sql("select ssl from pg_stat_ssl where pid = pg_backend_pid()"))
            #expect(isEncrypted.bool(0))
            let large = [UInt8](repeating: 0x41, count: 1_000_000)
            let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        let value = index % 2 == 0 ? large : [1]
                        return try await database.row(sql("select $1 || $1"), [.bytes(value)]).bytes(0).count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lengths.sorted() == Array(repeating: 2, count: 20) + Array(repeating: 2_000_000, count: 20))
            try await offLoop { try cluster.restart() }
            #expect(await eventually(within: .seconds(5)) { await database.failure(sql("select 1")) == nil })
        }
    }

    @Test("a server with another certificate is not spoken to")
    func unverified() async throws {
        let cluster = try PostgresCluster(tls: true)
        defer { cluster.remove() }
        var configuration = DatabaseConfiguration(
            connectionString: "\(cluster.tlsConnectionString()) sslrootcert=/etc/ssl/certs/ca-certificates.crt")
        configuration.acquireTimeout = .milliseconds(300)
        try await withDatabase(configuration) { #expect(await $0.failure(sql("select 1")) == "unavailable") }
    }
}
