import ASCII

/// What the reader of requests thinks of a target by itself, for whoever explains a request without sending it.
package enum HTTPTarget {
    /// - Parameter target: in origin form: path and query.
    /// - Returns: the refusal of a GET with this target by a server with the default limits; nil when it would be read.
    package static func refusal(ofGET target: String) -> Refusal? {
        // The rest is a whole head, so that nothing else can be refused; what would end the target early cannot stand in it.
        guard target.utf8.allSatisfy(ASCII.isTarget) else { return Refusal(400, "bad target") }
        let head = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let configuration = ServerConfiguration()
        var parser = RequestParser(
            limits: .init(
                head: configuration.headLimit, target: configuration.targetLimit,
                fieldCount: configuration.headerCountLimit))
        let outcome = head.withUnsafeBufferPointer { parser.parse($0) }
        if case .refused(let refusal) = outcome { return refusal }
        return nil
    }
}
