/// A request method; `other` keeps what was sent (RFC 9110 §9.1: case-sensitive).
public enum Method: Sendable, Hashable {
    case get, head, post, put, patch, delete, options
    case other(String)

    /// As it stands on the wire.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        func matches(_ name: StaticString) -> Bool {
            bytes.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
        switch bytes.count {
        case 3 where matches("GET"): self = .get
        case 4 where matches("POST"): self = .post
        case 4 where matches("HEAD"): self = .head
        case 3 where matches("PUT"): self = .put
        case 5 where matches("PATCH"): self = .patch
        case 6 where matches("DELETE"): self = .delete
        case 7 where matches("OPTIONS"): self = .options
        default: self = .other(String(ascii: bytes))
        }
    }
}
