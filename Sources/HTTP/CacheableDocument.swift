import ASCII
import OpenSSL

/// A JSON document that anyone may cache: `Cache-Control: public`, an `ETag`, and 304 for those who have it (RFC 9110 §13.1.2).
public struct CacheableDocument: Sendable {
    private let body: [UInt8]
    private let cacheControl: String
    private let entityTag: String

    /// - Parameter maxAge: seconds.
    public init(_ body: [UInt8], maxAge: Int64) {
        self.body = body
        cacheControl = "public, max-age=\(maxAge)"
        entityTag = "\"\(SHA256.hash(body).prefix(16).hexadecimal)\""
    }

    public func response(to request: Request) -> Response {
        var response: Response
        if isKnown(to: request) {
            response = Response(status: 304)
            response.headers.set("Cache-Control", cacheControl)
        } else {
            response = .json(body, cacheControl: cacheControl)
        }
        response.headers.set("ETag", entityTag)
        return response
    }

    private func isKnown(to request: Request) -> Bool {
        guard let known = request.headers["if-none-match"] else { return false }
        return known.split(separator: ",").contains { item in
            let tag = item.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || tag == entityTag || tag.dropFirst(2) == entityTag && tag.hasPrefix("W/")
        }
    }
}
