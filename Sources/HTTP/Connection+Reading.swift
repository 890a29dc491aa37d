import EventLoop
import OpenSSL

extension Connection {
    func becameReadable() {
        if phase == .lingering {
            discardInput()
            return
        }
        if writeWaitsForReadable {
            writeWaitsForReadable = false
            flush()
            if phase == .closed || phase == .lingering { return }
        }
        if phase == .handshake {
            shakeHands()
            if phase != .head { return }
        }
        if isReadPaused || inputHasEnded {
            if !writeWaitsForReadable { readWatch?.pause() }  // was watched for the write only
            return
        }
        readAvailable()
    }

    private func shakeHands() {
        guard let tls = transport.tls else { return }
        switch tls.handshake() {
        case .bytes:
            phase = .head
            clientCertificate = tls.peerCertificate
        case .wantsRead: break
        case .wantsWrite: watchWritable(forRead: true)
        // Not at once: bytes of no TLS would be left unread, and turn the close into a reset.
        case .closed, .failed: linger()
        }
    }

    /// Reads until the socket is empty, or TLS is: bytes inside OpenSSL do not wake the loop.
    private func readAvailable() {
        let buffer = server.readBuffer
        while true {
            switch transport.read(into: buffer) {
            case .bytes(let count):
                receive(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]))
                if phase == .closed || phase == .lingering || isReadPaused || inputHasEnded { return }
                if transport.tls == nil && count < buffer.count { return }
            case .wantsRead: return
            case .wantsWrite:
                watchWritable(forRead: true)
                return
            case .closed:
                inputDidEnd()
                return
            case .failed:
                close()
                return
            }
        }
    }

    /// The client closed its side. Whole requests it sent before are still answered.
    private func inputDidEnd() {
        inputHasEnded = true
        readWatch?.pause()
        switch phase {
        case .handling, .writing: break
        case .handshake, .head, .body, .lingering, .closed: close()  // nothing whole to answer
        }
    }

    private func discardInput() {
        switch transport.readRaw(into: server.readBuffer) {
        case .bytes, .wantsRead, .wantsWrite: break
        case .closed, .failed: close()
        }
    }

    // MARK: Requests out of bytes

    private func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
        let isReading = phase == .head || phase == .body
        guard isReading && inputStart == input.count else {
            input.append(contentsOf: bytes)
            if isReading {
                consumeInput()
            } else if input.count - inputStart >= server.configuration.headLimit {
                isReadPaused = true
                readWatch?.pause()
            }
            return
        }
        let used = consume(bytes)
        if used < bytes.count && phase != .closed && phase != .lingering {
            if inputStart > 0 { discardConsumed() }
            input.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[used...]))
        }
    }

    /// Goes on with what has been waiting.
    func consumeInput() {
        let waiting = input  // a copy by reference: `input` may be emptied meanwhile
        let used = waiting.withUnsafeBufferPointer { consume(UnsafeBufferPointer(rebasing: $0[inputStart...])) }
        inputStart = min(inputStart + used, input.count)
        if inputStart == input.count { discardConsumed() }
    }

    /// Lets go of bytes that are done with; large buffers do not stay with an idle connection.
    private func discardConsumed() {
        if inputStart == input.count {
            input.removeAll(keepingCapacity: input.capacity <= 2048)
        } else {
            input.removeSubrange(..<inputStart)
        }
        inputStart = 0
    }

    /// Takes one request at most out of the bytes.
    /// - Returns: how many were used up. In a head all or nothing.
    private func consume(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var used = 0
        if phase == .head {
            let isFirstByte = !parser.hasBegun
            switch parser.parse(bytes) {
            case .incomplete:
                if isFirstByte && hasServed {
                    deadline = MonotonicTime.now.advanced(by: server.configuration.headTimeout)
                }
                return 0
            case .refused(let refusal):
                refuse(refusal)
                return bytes.count
            case .head(let head):
                used = head.size
                beginBody(head, isLastOfInput: used == bytes.count)
            }
        }
        guard phase == .body else { return used }
        return used + consumeBody(UnsafeBufferPointer(rebasing: bytes[used...]))
    }

    private func beginBody(_ head: RequestHead, isLastOfInput: Bool) {
        self.head = head
        parser = RequestParser(limits: server.parserLimits)
        requestStart = MonotonicTime.now
        requestID = head.requestID ?? server.nextRequestID()
        switch head.framing {
        case .none:
            handle()
            return
        case .length(let length):
            if length > server.configuration.bodyLimit {
                refuse(Refusal(413, "body too large"))
                return
            }
            body.reserveCapacity(length)
        case .chunked: decoder = ChunkedDecoder()
        }
        phase = .body
        deadline = requestStart.advanced(by: server.configuration.bodyTimeout)
        // RFC 9110 §10.1.1: not needed when the body is coming already.
        if head.expectsContinue && isLastOfInput { sendContinue() }
    }

    private func consumeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        switch head?.framing {
        case .length(let length):
            let count = min(length - body.count, bytes.count)
            body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<count]))
            if body.count == length { handle() }
            return count
        case .chunked:
            let (consumed, outcome) = decoder.decode(bytes, into: &body, limit: server.configuration.bodyLimit)
            switch outcome {
            case .incomplete: return consumed
            case .complete: handle()
            case .refused(let refusal):
                refuse(refusal)
                return bytes.count
            }
            return consumed
        case .some(.none), nil: return 0
        }
    }

    // MARK: The handler

    private func handle() {
        guard let head else { return }
        phase = .handling
        deadline = .never
        server.handlerDidStart()
        let client = peer.client(
            headers: head.headers, isTLS: transport.tls != nil, trustedProxies: server.configuration.trustedProxies)
        let request = Request(
            method: head.method, path: head.path, query: head.query, headers: head.headers, body: body,
            clientAddress: client.address, isSecure: client.isSecure, clientCertificate: clientCertificate,
            id: requestID)
        body = []
        Task(executorPreference: server.loop) {
            self.respond(await self.server.router.respond(to: request))
        }
    }
}
