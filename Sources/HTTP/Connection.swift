import EventLoop
import Glibc

/// One client's connection: reads a request, has it answered, writes the answer, reads the next.
///
/// One request is at work at a time; what the client sends meanwhile waits, up to a bound, so answers keep the order of
/// requests. `Connection+Reading` and `Connection+Writing` hold the two directions; here is the life of the connection.
///
/// `@unchecked Sendable`: a request's task carries it, and that task runs on the loop's thread, as all else here does.
final class Connection: @unchecked Sendable {
    enum Phase {
        case handshake
        /// Between requests, or inside a head.
        case head
        case body
        /// A handler is at work.
        case handling
        /// The answer did not fit into the socket.
        case writing
        /// All is said; what still comes is thrown away until the client closes (RFC 9112 §9.6).
        case lingering
        case closed
    }

    let server: HTTPServer
    let transport: Transport
    let peer: Peer
    var phase: Phase
    /// When the phase must be over.
    var deadline: MonotonicTime
    var clientCertificate: [UInt8]?

    // Reading
    var readWatch: Watch?
    var isReadPaused = false
    /// The client has closed its side.
    var inputHasEnded = false
    /// Bytes that came and were not looked at, or are the beginning of a head; those before `inputStart` are done with.
    var input: [UInt8] = []
    var inputStart = 0
    var parser: RequestParser
    var head: RequestHead?
    var decoder = ChunkedDecoder()
    var body: [UInt8] = []
    /// Whether a request was answered: an idle connection that had none yet was opened to send one.
    var hasServed = false

    // Writing
    var writeWatch: Watch?
    var output: [UInt8] = []
    var outputStart = 0
    var writeDeadline = MonotonicTime.never
    var closesAfterOutput = false
    var requestStart = MonotonicTime.never
    var requestID = ""

    // TLS turns directions around: a read may have to write first, and a write to read.
    var readWaitsForWritable = false
    var writeWaitsForReadable = false

    init(server: HTTPServer, transport: Transport, peer: Peer) {
        self.server = server
        self.transport = transport
        self.peer = peer
        parser = RequestParser(limits: server.parserLimits)
        phase = transport.tls == nil ? .head : .handshake
        deadline = MonotonicTime.now.advanced(by: server.configuration.headTimeout)
    }

    /// Begins to read. Until `close()`, the watches and the connection keep one another alive.
    func start() {
        readWatch = Watch(on: server.loop, descriptor: transport.descriptor, events: .read) { self.becameReadable() }
    }

    func close(abortively: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        readWatch?.cancel()  // before the descriptor, whose number the next accept may get
        readWatch = nil
        writeWatch?.cancel()
        writeWatch = nil
        input = []
        output = []
        body = []
        transport.close(abortively: abortively)
        server.connectionDidClose(self)
    }

    // MARK: Deadlines

    func isOverdue(at now: MonotonicTime) -> Bool { deadline <= now || writeDeadline <= now }

    /// A deadline has passed: a request that was begun gets 408, all else is cut.
    func expire(at now: MonotonicTime) {
        if writeDeadline <= now {
            close(abortively: true)
            return
        }
        switch phase {
        case .head where parser.hasBegun: refuse(Refusal(408, "head took too long"))
        case .body: refuse(Refusal(408, "body took too long"))
        case .handling, .writing, .closed: break
        case .handshake, .head, .lingering: close()
        }
    }

    // MARK: Draining

    /// Whether nothing of a request has come since the last answer.
    var isIdle: Bool { phase == .head && !parser.hasBegun && inputStart == input.count }

    /// The server stops: an idle connection ends, unless a request is just coming in. A client that has connected but not
    /// spoken yet gets a moment.
    func beginDrain(grace: MonotonicTime) {
        guard isIdle || phase == .handshake else { return }
        becameReadable()
        guard isIdle || phase == .handshake else { return }
        if hasServed {
            close()
        } else {
            deadline = min(deadline, grace)
        }
    }
}
