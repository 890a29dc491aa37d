import ASCII
import JSON
import Telemetry

/// One complete request.
public struct Request: Sendable {
    public var method: Method
    /// As sent, percent-encoded, without the query; begins with "/" (or is "*" for `OPTIONS *`).
    public var path: String
    /// As sent, percent-encoded, without the "?"; nil if there was none. Never goes to a log.
    public var query: String?
    public var headers: Headers
    public var body: [UInt8]
    /// The client's address in text form, after trusted proxies.
    public var clientAddress: String
    /// Whether the client's connection is TLS, after trusted proxies.
    public var isSecure: Bool
    /// DER of the TLS client's certificate, if it showed one on our own TLS connection.
    public var clientCertificate: [UInt8]?
    /// From `X-Request-Id` when that is 1 to 64 characters of [A-Za-z0-9._-], else made here. Goes back in the answer.
    public var id: String
    /// What the braces of the route's path took, percent-decoded.
    public internal(set) var pathParameters: [String: String] = [:]

    public init(
        method: Method, path: String, query: String? = nil, headers: Headers = Headers(), body: [UInt8] = [],
        clientAddress: String = "127.0.0.1", isSecure: Bool = false, clientCertificate: [UInt8]? = nil,
        id: String = "test"
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.clientAddress = clientAddress
        self.isSecure = isSecure
        self.clientCertificate = clientCertificate
        self.id = id
    }

    /// Logs with this request's id among the fields.
    public func log(_ level: Log.Level, _ event: StaticString, _ fields: [JSON.Member] = []) {
        guard Log.isWritten(level) else { return }
        Log.write(level, event, fields + [JSON.Member("request_id", .string(id))])
    }

    /// The value of the first cookie of that name (RFC 6265 §5.4), unquoted.
    public func cookie(_ name: String) -> String? {
        for field in headers.all("Cookie") {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                guard pair[..<equals].trimmingBlanks().elementsEqual(name.utf8) else { continue }
                var value = pair[pair.index(after: equals)...].trimmingBlanks()
                if value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"") {
                    value = value.dropFirst().dropLast()
                }
                return String(Substring(value))
            }
        }
        return nil
    }

    /// The media type in lower case without parameters, e.g. `application/x-www-form-urlencoded`; nil if absent.
    public var mediaType: String? {
        guard let field = headers["Content-Type"] else { return nil }
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks()
        return type.isEmpty ? nil : Substring(type).lowercased()
    }
}

extension Substring.UTF8View {
    func trimmingBlanks() -> Substring.UTF8View {
        var view = self
        while let first = view.first, ASCII.isBlank(first) { view = view.dropFirst() }
        while let last = view.last, ASCII.isBlank(last) { view = view.dropLast() }
        return view
    }
}
