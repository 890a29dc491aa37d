import ASCII
import EventLoop
import JSON
import OpenSSL
import Telemetry

extension Connection {
    /// The handler has answered.
    func respond(_ response: Response) {
        server.loop.preconditionOnLoop()
        defer { server.handlerDidEnd() }
        guard phase == .handling, let head else { return }  // the client is gone
        hasServed = true
        let isLast = inputHasEnded && inputStart == input.count
        send(response, closes: !head.keepsAlive || server.isDraining || isLast)
    }

    /// Answers what is no request, or came too slowly, and ends the connection.
    func refuse(_ refusal: Refusal) {
        if requestID.isEmpty { requestID = server.nextRequestID() }
        var response = Response.text(status: refusal.status, "\(ResponseWriter.reasonPhrase(refusal.status))\n")
        if let head { server.router.addCORSFields(to: &response, path: head.path) }
        if Log.isWritten(.debug) {
            Log.write(
                .debug, "http.refused",
                [
                    JSON.Member("status", .integer(Int64(refusal.status))),
                    JSON.Member("reason", .string(refusal.reason)), JSON.Member("request_id", .string(requestID)),
                ])
        }
        send(response, closes: true)
    }

    private func send(_ response: Response, closes: Bool) {
        let context = ResponseWriter.Context(isHead: head?.method == .head, closes: closes, requestID: requestID)
        phase = .writing
        deadline = .never
        closesAfterOutput = closes
        if outputStart == output.count {
            // Straight from the loop's buffer into the socket; only what does not fit becomes the connection's own.
            var buffer = server.takeWriteBuffer()
            let status = write(response, context, into: &buffer)
            logAnswer(status)
            writeThrough(buffer)
            server.giveBackWriteBuffer(&buffer)
        } else {
            logAnswer(write(response, context, into: &output))
            flush()
            return
        }
        if phase == .writing && outputStart == output.count { outputDidEnd() }
    }

    /// - Returns: the status that goes out: 500 in place of an answer that would break the protocol.
    private func write(_ response: Response, _ context: ResponseWriter.Context, into buffer: inout [UInt8]) -> Int {
        do {
            try server.responseWriter.write(response, context, into: &buffer)
            return response.status
        } catch {
            let fault =
                switch error {
                case .status(let status): JSON.Member("status", .integer(Int64(status)))
                case .field(let name): JSON.Member("field", .string(name))
                }
            Log.write(.error, "http.answer_withheld", [fault, JSON.Member("request_id", .string(requestID))])
        }
        var substitute = Response.text(status: 500, "Internal Server Error\n")
        if let head { server.router.addCORSFields(to: &substitute, path: head.path) }
        do {
            try server.responseWriter.write(substitute, context, into: &buffer)
        } catch {
            preconditionFailure("an answer made of literals is sound")
        }
        return 500
    }

    private func logAnswer(_ status: Int) {
        guard Log.isWritten(.debug), let head else { return }
        let time = MonotonicTime.now.microseconds(since: requestStart)
        Log.write(.debug, "http.request", Self.accessFields(head, status: status, microseconds: time, id: requestID))
    }

    /// What the log says of a request: never its query, fields or body.
    static func accessFields(_ head: RequestHead, status: Int, microseconds: Int64, id: String) -> [JSON.Member] {
        [
            JSON.Member("method", .string(head.method.name)), JSON.Member("path", .string(head.path)),
            JSON.Member("status", .integer(Int64(status))), JSON.Member("microseconds", .integer(microseconds)),
            JSON.Member("request_id", .string(id)),
        ]
    }

    func sendContinue() {
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
        flush()
    }

    // MARK: Bytes

    private func writeThrough(_ bytes: [UInt8]) {
        let written = bytes.withUnsafeBytes { writeSome($0) }
        guard phase != .closed, written < bytes.count else { return }
        output.append(contentsOf: bytes[written...])
        waitForSocket()
    }

    /// Writes what waits, as far as the socket takes it.
    func flush() {
        guard outputStart < output.count else { return }
        let waiting = output  // a copy by reference: closing empties `output`
        let written = waiting.withUnsafeBytes { writeSome(UnsafeRawBufferPointer(rebasing: $0[outputStart...])) }
        guard phase != .closed else { return }
        outputStart += written
        if outputStart < output.count {
            waitForSocket()
            return
        }
        output = []
        outputStart = 0
        writeDeadline = .never
        if !readWaitsForWritable { writeWatch?.pause() }
        if phase == .writing { outputDidEnd() }
    }

    /// - Returns: how many bytes the socket took. Closes on failure; arranges to be called again otherwise.
    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        var written = 0
        while written < bytes.count {
            switch transport.write(UnsafeRawBufferPointer(rebasing: bytes[written...])) {
            case .bytes(let count): written += count
            case .wantsWrite:
                watchWritable(forRead: false)
                return written
            case .wantsRead:
                writeWaitsForReadable = true
                readWatch?.resume()
                return written
            case .closed, .failed:
                close()
                return written
            }
        }
        return written
    }

    /// The time for an answer runs from its first wait, however many bytes trickle out afterwards.
    private func waitForSocket() {
        if writeDeadline == .never {
            writeDeadline = MonotonicTime.now.advanced(by: server.configuration.writeTimeout)
        }
    }

    func watchWritable(forRead: Bool) {
        if forRead { readWaitsForWritable = true }
        if let writeWatch {
            writeWatch.resume()
        } else {
            writeWatch = Watch(on: server.loop, descriptor: transport.descriptor, events: .write) {
                self.becameWritable()
            }
        }
    }

    private func becameWritable() {
        writeWatch?.pause()
        if readWaitsForWritable {
            readWaitsForWritable = false
            becameReadable()
            if phase == .closed { return }
        }
        flush()
    }

    // MARK: Behind the answer

    private func outputDidEnd() {
        if closesAfterOutput {
            linger()
        } else {
            nextRequest()
        }
    }

    /// Closes our side, and leaves the client a while to close its own.
    func linger() {
        transport.finishWriting()
        if inputHasEnded {
            close()
            return
        }
        phase = .lingering
        deadline = MonotonicTime.now.advanced(by: server.configuration.lingerTimeout)
        input = []
        inputStart = 0
        isReadPaused = false
        readWatch?.resume()
    }

    private func nextRequest() {
        phase = .head
        head = nil
        requestID = ""
        let hasInput = inputStart < input.count
        let configuration = server.configuration
        deadline = MonotonicTime.now.advanced(by: hasInput ? configuration.headTimeout : configuration.idleTimeout)
        if hasInput { consumeInput() }
        guard phase == .head || phase == .body else { return }
        if inputHasEnded {
            close()  // in the middle of a request
        } else if isReadPaused {
            isReadPaused = false
            readWatch?.resume()
            if transport.tls != nil { becameReadable() }  // bytes inside OpenSSL do not wake the loop
        }
    }
}
