import ASCII

/// Puts answers into bytes. A value without I/O.
struct ResponseWriter {
    /// What the answer needs to know of its request and connection.
    struct Context {
        /// The answer to HEAD has the fields of GET, and no body.
        var isHead = false
        var closes = false
        var requestID = ""
    }

    /// An answer that must not be sent: a handler's mistake, perhaps with a client's text in a field.
    enum Defect: Error, Equatable {
        case status(Int)
        /// A byte that would end the field early (RFC 9110 §5.5), or a name that is none.
        case field(name: String)
    }

    private var date = DateField()

    /// Appends the whole answer, or nothing if it has a defect.
    mutating func write(
        _ response: Response, _ context: Context, into output: inout [UInt8]
    ) throws(Defect) {
        guard (200...599).contains(response.status) else { throw .status(response.status) }
        let mark = output.count
        do {
            Self.writeStatusLine(response.status, into: &output)
            try Self.writeFields(response.headers, into: &output)
        } catch {
            output.removeSubrange(mark...)
            throw error
        }
        output.append(contentsOf: date.bytes())
        output.append("X-Request-Id: ")
        output.append(contentsOf: context.requestID.utf8)
        if context.closes { output.append("\r\nConnection: close") }
        // RFC 9110 §8.6, §15.4.5: neither length nor body with these.
        let hasLength = response.status != 204 && response.status != 304
        if hasLength {
            output.append("\r\nContent-Length: ")
            output.append(decimal: Int64(response.body.count))
        }
        output.append("\r\n\r\n")
        if hasLength && !context.isHead { output.append(contentsOf: response.body) }
    }

    private static func writeStatusLine(_ status: Int, into output: inout [UInt8]) {
        if status == 200 {
            output.append("HTTP/1.1 200 OK\r\n")
            return
        }
        output.append("HTTP/1.1 ")
        output.append(decimal: Int64(status))
        output.append(" ")
        output.append(reasonPhrase(status))
        output.append("\r\n")
    }

    private static func writeFields(_ headers: Headers, into output: inout [UInt8]) throws(Defect) {
        var defect: Headers.Field?
        headers.bytes.withUnsafeBufferPointer { bytes in
            for place in headers.places {
                let name = UnsafeBufferPointer(rebasing: bytes[place.name])
                let value = UnsafeBufferPointer(rebasing: bytes[place.value])
                guard !name.isEmpty, name.allSatisfy(ASCII.isToken), value.allSatisfy(ASCII.isFieldValue) else {
                    defect = place
                    return
                }
                if isOurs(name) { continue }
                output.append(contentsOf: name)
                output.append(": ")
                output.append(contentsOf: value)
                output.append("\r\n")
            }
        }
        if let defect { throw .field(name: String(decoding: headers.bytes[defect.name], as: UTF8.self)) }
    }

    /// The fields that frame the message are written here only, so that no handler can contradict them.
    private static func isOurs(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        switch name.count {
        case 4: ASCII.equal(name, "date")
        case 10: ASCII.equal(name, "connection")
        case 12: ASCII.equal(name, "x-request-id")
        case 14: ASCII.equal(name, "content-length")
        case 17: ASCII.equal(name, "transfer-encoding")
        default: false
        }
    }

    static func reasonPhrase(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
