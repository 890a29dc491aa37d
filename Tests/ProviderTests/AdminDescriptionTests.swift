import AdminDescription
import EventLoop
import Postgres
import Testing

@testable import Provider

@Suite("The description of the admin API") struct AdminDescriptionTests {
    /// `GET /clients` and so on, as the file has them: a path stands two deep, a method below it four.
    private func described() -> [String] {
        var found: [String] = []
        var path = ""
        for line in String(decoding: AdminDescription.yaml, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            guard line.hasSuffix(":"), let first = line.firstIndex(where: { $0 != " " }) else { continue }
            let name = line[first...].dropLast()
            switch line.distance(from: line.startIndex, to: first) {
            case 2 where name.hasPrefix("/"): path = String(name)
            case 4 where ["get", "post", "put", "patch", "delete"].contains(name):
                found.append("\(name.uppercased()) \(path)")
            default: break
            }
        }
        return found
    }

    @Test("names every route that is mounted, and none that is not")
    func routes() throws {
        let configuration = try ConfigurationTests.read([:])
        let loop = EventLoop(index: 0)
        let database = Database(loop: loop, configuration: configuration.database)
        let features = Features(
            issuer: configuration.issuer, node: Node(configuration), database: database, loop: loop)
        let base = "/admin/v1"
        let mounted = features.routes.filter { $0.path.hasPrefix("\(base)/") }
            .map { "\($0.method.name) \($0.path.dropFirst(base.count))" }

        #expect(mounted.count > 30)
        #expect(Set(described()) == Set(mounted))
        #expect(described().count == mounted.count)
    }
}
