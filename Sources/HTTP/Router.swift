/// Finds the route of a request. Unknown path: 404; known path, other method: 405 with `Allow`; preflights of CORS
/// routes: 204.
public struct Router: Sendable {
    /// All methods of one path.
    private struct Resource: Sendable {
        var routes: [Route] = []
        /// In the order of the routes, with HEAD behind GET and OPTIONS where there are preflights.
        var allow = ""
        var corsMethods = ""

        var hasCORS: Bool { !corsMethods.isEmpty }
        var isThere: (@Sendable () async throws -> Bool)? { routes.first?.isThere }
    }

    /// By path, as it stands.
    private let resources: [String: Resource]
    /// Those with braces in their path.
    private let templates: [(path: PathTemplate, resource: Resource)]
    private let notFound: @Sendable (Request) -> Response
    private let methodNotAllowed: @Sendable (Request) -> Response
    private let failure: @Sendable (any Error, Request) -> Response

    /// - Parameters:
    ///   - notFound: the answer for unknown paths (a page for browsers).
    ///   - methodNotAllowed: the answer for methods that a path does not have, with status 405. `Allow` is added to it.
    ///   - failure: the answer when a handler threw. Whatever it answers also carries the route's CORS fields.
    /// - Precondition: no two routes have the same method and path; none has the method HEAD; those of one path all have an
    ///   `isThere`, or none has.
    public init(
        routes: [Route], notFound: @escaping @Sendable (Request) -> Response,
        methodNotAllowed: @escaping @Sendable (Request) -> Response = { _ in
            .text(status: 405, "Method not allowed\n")
        },
        failure: @escaping @Sendable (any Error, Request) -> Response
    ) {
        self.notFound = notFound
        self.methodNotAllowed = methodNotAllowed
        self.failure = failure
        var resources: [String: Resource] = [:]
        for route in routes {
            let isTaken = resources[route.path]?.routes.contains { $0.method == route.method } ?? false
            precondition(!isTaken && route.method != .head, "\(route.method.name) \(route.path) is routed twice")
            resources[route.path, default: Resource()].routes.append(route)
        }
        for path in resources.keys {
            guard var resource = resources[path] else { continue }
            precondition(
                Set(resource.routes.map { $0.isThere == nil }).count == 1,
                "\(path) would be there for some methods only")
            resource.corsMethods = Self.methodList(resource.routes.filter { $0.cors == .anyOrigin })
            resource.allow = Self.methodList(resource.routes)
            if resource.hasCORS && !resource.routes.contains(where: { $0.method == .options }) {
                resource.allow += ", OPTIONS"
            }
            resources[path] = resource
        }
        templates = resources.filter { $0.key.contains("{") }.sorted { $0.key < $1.key }.map {
            (PathTemplate($0.key), $0.value)
        }
        self.resources = resources.filter { !$0.key.contains("{") }
    }

    private static func methodList(_ routes: [Route]) -> String {
        routes.map { $0.method == .get ? "GET, HEAD" : $0.method.name }.joined(separator: ", ")
    }

    /// Runs the handler. The answer to HEAD still holds the body: the connection leaves it out and keeps its length.
    public func respond(to request: Request) async -> Response {
        var request = request
        guard let (resource, parameters) = resource(at: request.path) else {
            // RFC 9110 §9.3.7: "OPTIONS *" only asks whether the server is there.
            if request.method == .options && request.path == "*" { return Response(status: 204) }
            return notFound(request)
        }
        request.pathParameters = parameters
        if let isThere = resource.isThere {
            do {
                guard try await isThere() else { return notFound(request) }
            } catch {
                return failure(error, request)
            }
        }
        let method = request.method == .head ? .get : request.method
        guard let route = resource.routes.first(where: { $0.method == method }) else {
            return withoutRoute(request, resource)
        }
        var response: Response
        do {
            response = try await route.handler(request)
        } catch {
            response = failure(error, request)
        }
        if route.cors == .anyOrigin { Self.addCORSFields(to: &response) }
        return response
    }

    /// For answers the server gives without asking a handler, such as 413: scripts may read these too. Not where nobody has
    /// asked whether the path is there: that would tell.
    func addCORSFields(to response: inout Response, path: String) {
        guard let (resource, _) = resource(at: path), resource.isThere == nil else { return }
        if resource.hasCORS { Self.addCORSFields(to: &response) }
    }

    /// A path as it stands comes before those in braces, and among these the one whose first difference is no brace.
    private func resource(at path: String) -> (Resource, parameters: [String: String])? {
        if let resource = resources[path] { return (resource, [:]) }
        let segments = PathTemplate.segments(of: path)
        for template in templates {
            if let parameters = template.path.match(segments) { return (template.resource, parameters) }
        }
        return nil
    }

    private func withoutRoute(_ request: Request, _ resource: Resource) -> Response {
        let isAnsweredOptions = request.method == .options && resource.hasCORS
        var response = isAnsweredOptions ? Response(status: 204) : methodNotAllowed(request)
        response.headers.add("Allow", resource.allow)
        guard resource.hasCORS else { return response }
        Self.addCORSFields(to: &response)
        // Fetch §3.2.2: what makes a request a preflight.
        let isPreflight =
            isAnsweredOptions && request.headers["Origin"] != nil
            && request.headers["Access-Control-Request-Method"] != nil
        if isPreflight {
            response.headers.add("Access-Control-Allow-Methods", resource.corsMethods)
            response.headers.add("Access-Control-Allow-Headers", "authorization, content-type, dpop")
            response.headers.add("Access-Control-Max-Age", "7200")
        }
        return response
    }

    /// The same for every origin, so no `Vary` is needed.
    private static func addCORSFields(to response: inout Response) {
        response.headers.set("Access-Control-Allow-Origin", "*")
        response.headers.set("Access-Control-Expose-Headers", "WWW-Authenticate")
    }
}
