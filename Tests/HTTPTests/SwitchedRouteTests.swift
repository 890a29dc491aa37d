import Synchronization
import Testing

@testable import HTTP

@Suite("Routes that are there only at times") struct SwitchedRouteTests {
    struct NotAsked: Error {}

    /// What `isThere` says: yes, no, or nothing.
    private final class State: Sendable {
        private let value = Mutex<Bool?>(false)
        func set(_ isThere: Bool?) { value.withLock { $0 = isThere } }
        func get() throws -> Bool {
            guard let isThere = value.withLock({ $0 }) else { throw NotAsked() }
            return isThere
        }
    }

    private static let methods: [HTTP.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .other("TRACE"), .other("BREW"),
    ]
    private static let preflight: [(name: String, value: String)] = [
        ("Origin", "https://spa.example"), ("Access-Control-Request-Method", "POST"),
    ]

    private static func routes(_ state: State) -> [Route] {
        [
            Route(.get, "/switched", cors: .anyOrigin) { _ in .text(status: 200, "here") },
            Route(.post, "/switched", cors: .anyOrigin) { _ in .text(status: 200, "here") },
            Route(.get, "/switched/{id}", cors: .anyOrigin) { _ in .text(status: 200, "here") },
        ].map { route in
            var route = route
            route.isThere = { try state.get() }
            return route
        } + [Route(.get, "/always", cors: .anyOrigin) { _ in .text(status: 200, "always") }]
    }

    private static func router(_ state: State) -> Router {
        Router(
            routes: routes(state), notFound: { _ in .text(status: 404, "nothing is here") },
            failure: { error, _ in .text(status: error is NotAsked ? 503 : 500, "failed") })
    }

    @Test("off: as a path that never was, for every method", arguments: methods, [[], preflight])
    func off(method: HTTP.Method, fields: [(name: String, value: String)]) async {
        let router = Self.router(State())
        for (path, unknown) in [("/switched", "/nowhere"), ("/switched/7", "/nowhere/7")] {
            let answer = await router.respond(to: Request(method: method, path: path, headers: Headers(fields)))
            let other = await router.respond(to: Request(method: method, path: unknown, headers: Headers(fields)))
            #expect(answer.status == 404)
            #expect(answer.status == other.status)
            #expect(answer.body == other.body)
            #expect(answer.headers.bytes == other.headers.bytes)
            #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
            #expect(answer.headers["Allow"] == nil)
        }
    }

    @Test("asked at every request: on and off again")
    func everyRequest() async {
        let state = State()
        let router = Self.router(state)
        for isOn in [true, false, true, true, false] {
            state.set(isOn)
            let get = await router.respond(to: Request(method: .get, path: "/switched", headers: Headers([])))
            #expect(get.status == (isOn ? 200 : 404))
            #expect((get.headers["Access-Control-Allow-Origin"] != nil) == isOn)
            let options = await router.respond(
                to: Request(method: .options, path: "/switched", headers: Headers(Self.preflight)))
            #expect(options.status == (isOn ? 204 : 404))
            let put = await router.respond(to: Request(method: .put, path: "/switched", headers: Headers([])))
            #expect(put.status == (isOn ? 405 : 404))
            #expect(
                await router.respond(to: Request(method: .get, path: "/always", headers: Headers([]))).status == 200)
        }
    }

    @Test("what could not be asked is neither there nor not there", arguments: methods)
    func notAsked(method: HTTP.Method) async {
        let state = State()
        state.set(nil)
        let answer = await Self.router(state).respond(
            to: Request(method: method, path: "/switched", headers: Headers(Self.preflight)))
        #expect(answer.status == 503)
        #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
    }

    /// What the server answers before it asks a handler.
    private static let earlyRefusals = [
        ("too large", "Content-Length: 10485760\r\n\r\n"),
        ("chunks", "Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n"),
        ("expects", "Expect: 100-continue\r\nContent-Length: 10485760\r\n\r\n"),
    ]

    @Test("answers before any handler do not tell either", arguments: earlyRefusals, [false, true])
    func refusedEarly(request: (name: String, rest: String), isOn: Bool) throws {
        let state = State()
        state.set(isOn)
        let server = try TestServer(routes: Self.routes(state))
        func heads(_ path: String) throws -> [String] {
            let client = try server.client()
            client.send(Array("POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(request.rest)".utf8))
            let answer = try client.receive()
            #expect((400..<500).contains(answer.status))
            return answer.head.split(separator: "\r\n").map(String.init).filter {
                !$0.lowercased().hasPrefix("date:") && !$0.lowercased().hasPrefix("x-request-id:")
            }
        }
        #expect(try heads("/switched") == heads("/nowhere"))
        #expect(try heads("/switched/7") == heads("/nowhere"))
        // The control: where nothing is secret, scripts can read it.
        #expect(try heads("/always") != heads("/nowhere"))
    }
}
