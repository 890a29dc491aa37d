import EventLoop
import Glibc
import JSON
import OpenSSL
import Telemetry

/// The HTTP/1.1 server of one loop, with its own listening socket (SO_REUSEPORT). Loop thread only, but for `init`.
///
/// `@unchecked Sendable`: all mutable state belongs to the loop's thread, which the entrances check.
public final class HTTPServer: @unchecked Sendable {
    let loop: EventLoop
    let configuration: ServerConfiguration
    let router: Router
    let parserLimits: RequestParser.Limits
    private var tls: TLSContext?

    private var listener: Listener?
    private var connections: [Int32: Connection] = [:]
    private var sweeper: Timer?
    private var handlersAtWork = 0
    private var requestIDs = RequestID.Maker()

    /// Shared by the connections, of which one reads or writes at a time: an idle connection holds no buffer.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 * 1024, alignment: 16)
    private var writeBuffer: [UInt8] = []
    var responseWriter = ResponseWriter()

    private(set) var isDraining = false
    private var drained: UnsafeContinuation<Void, Never>?

    /// The bound port, after `start`.
    public private(set) var port: UInt16 = 0

    public init(loop: EventLoop, configuration: ServerConfiguration, router: Router, tls: TLSContext? = nil) {
        self.loop = loop
        self.configuration = configuration
        self.router = router
        self.tls = tls
        parserLimits = RequestParser.Limits(
            head: configuration.headLimit, target: configuration.targetLimit,
            fieldCount: configuration.headerCountLimit)
    }

    deinit { readBuffer.deallocate() }

    /// Why a server cannot listen.
    public struct ListenError: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// Binds and listens. - Throws: `ListenError` naming the address and why.
    public func start() throws {
        loop.preconditionOnLoop()
        precondition(listener == nil && !isDraining, "a server starts once")
        let (descriptor, port) = try Listener.open(configuration.address)
        self.port = port
        listener = Listener(loop: loop, descriptor: descriptor) { [unowned self] in take($0, $1) }
        sweeper = Timer(on: loop, every: configuration.sweepInterval) { [unowned self] in sweep() }
    }

    /// New connections get this context; open ones keep theirs.
    public func replaceTLS(_ tls: TLSContext) {
        loop.preconditionOnLoop()
        precondition(self.tls != nil, "a plain server stays plain")
        self.tls = tls
    }

    // MARK: Connections

    private func take(_ descriptor: Int32, _ address: IPAddress?) {
        var session: TLSConnection?
        if let tls {
            do {
                session = try TLSConnection(context: tls, descriptor: descriptor)
            } catch {
                Log.error("http.tls_failed", [JSON.Member("error", .string(error.description))])
                Glibc.close(descriptor)
                return
            }
        }
        let peer = Peer(address: address, trustedProxies: configuration.trustedProxies)
        let transport = Transport(descriptor: descriptor, tls: session)
        let connection = Connection(server: self, transport: transport, peer: peer)
        connections[descriptor] = connection
        connection.start()
        if connections.count >= configuration.connectionLimit && !isDraining { listener?.pause() }
    }

    func connectionDidClose(_ connection: Connection) {
        connections[connection.transport.descriptor] = nil
        listener?.retry()
        if connections.count == configuration.connectionLimit - 1 { listener?.resume() }
        endDrainIfDone()
    }

    func handlerDidStart() { handlersAtWork += 1 }

    func handlerDidEnd() {
        handlersAtWork -= 1
        endDrainIfDone()
    }

    /// The one timer of the loop's connections: looks at all deadlines.
    private func sweep() {
        listener?.retry()
        let now = MonotonicTime.now
        let overdue = connections.values.filter { $0.isOverdue(at: now) }
        for connection in overdue { connection.expire(at: now) }
    }

    /// How many connections are open, lingering ones included.
    package var connectionCount: Int { connections.count }

    // MARK: For connections

    func nextRequestID() -> String { requestIDs.next() }

    /// An empty buffer with room, to be given back.
    func takeWriteBuffer() -> [UInt8] {
        var buffer: [UInt8] = []
        swap(&buffer, &writeBuffer)
        return buffer
    }

    func giveBackWriteBuffer(_ buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: buffer.capacity <= 256 * 1024)
        swap(&buffer, &writeBuffer)
    }

    // MARK: Draining

    /// Stops accepting (empties the accept queue first), closes idle connections, answers what is in flight with
    /// `Connection: close`; returns when the last is done or after `limit`.
    ///
    /// A client that has connected and not sent anything yet is given half a second to do so.
    public func drain(limit: Duration) async {
        loop.preconditionOnLoop()
        guard !isDraining else { return }
        isDraining = true
        listener?.close()
        listener = nil
        let grace = MonotonicTime.now.advanced(by: min(limit / 2, .milliseconds(500)))
        for connection in Array(connections.values) { connection.beginDrain(grace: grace) }
        if !connections.isEmpty || handlersAtWork > 0 {
            let timer = Timer(on: loop, after: limit) { [unowned self] in abandonConnections() }
            await withUnsafeContinuation { drained = $0 }
            timer.cancel()
        }
        sweeper = nil
    }

    private func endDrainIfDone() {
        guard isDraining, connections.isEmpty, handlersAtWork == 0 else { return }
        drained?.resume()
        drained = nil
    }

    private func abandonConnections() {
        for connection in Array(connections.values) { connection.close() }
        drained?.resume()
        drained = nil
    }
}
