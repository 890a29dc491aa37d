/// What a server needs to know; the values here are the product's defaults.
public struct ServerConfiguration: Sendable {
    /// `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:8080`; port 0 lets the system choose. `[::]` takes IPv4 too.
    public var address = "127.0.0.1:8080"
    /// Bytes of request line and header fields together; more is answered 431.
    public var headLimit = 16 * 1024
    /// Bytes of the request target, which carries whole authorization requests; more is answered 414.
    public var targetLimit = 14 * 1024
    /// Bytes of a request body, chunked or not; more is answered 413.
    public var bodyLimit = 64 * 1024
    /// Header fields of a request; more are answered 431.
    public var headerCountLimit = 100
    /// Per loop. At the limit new clients wait in the listening socket's queue.
    public var connectionLimit = 4096
    /// From the connection (or the first byte of a later request) to the end of the head, TLS handshake included.
    public var headTimeout: Duration = .seconds(10)
    /// From the end of the head to the end of the body.
    public var bodyTimeout: Duration = .seconds(15)
    /// From an answer to the first byte of the next request.
    public var idleTimeout: Duration = .seconds(75)
    /// From the moment an answer does not fit into the socket until the last byte of it is taken.
    public var writeTimeout: Duration = .seconds(30)
    /// After the last answer: how long the client may take to close its side, while what it still sends is dropped.
    public var lingerTimeout: Duration = .seconds(2)
    /// Peers whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    public var trustedProxies: [IPNetwork] = []

    public init() {}

    /// Keeps the address and takes another port.
    public mutating func listen(onPort port: UInt16) {
        guard let colon = address.lastIndex(of: ":") else { return }
        address = "\(address[...colon])\(port)"
    }

    /// How often the deadlines are looked at: a second, or more often where a shorter time-out is set.
    var sweepInterval: Duration {
        let shortest = min(headTimeout, bodyTimeout, idleTimeout, writeTimeout, lingerTimeout)
        return max(.milliseconds(5), min(.seconds(1), shortest / 4))
    }
}
