import CPostgreSQL

extension Connection {
    func readable() {
        guard let handle else { return }
        repeat {
            guard PQconsumeInput(handle) == 1 else { return close(failureText()) }
            takeResults(handle)
        } while self.handle != nil && PendingTLS.exists(in: handle)
        while let handle = self.handle, let notice = PQnotifies(handle) {
            let channel = String(cString: notice.pointee.relname)
            let payload = String(cString: notice.pointee.extra)
            PQfreemem(notice)
            owner?.connection(self, heard: payload, on: channel)
        }
        guard self.handle != nil else { return }
        if PQstatus(handle) == CONNECTION_BAD { return close(failureText()) }
        if writeWatch != nil { flush() }
        if let retirementReason, flight.isEmpty { return close(retirementReason) }
        owner?.connectionHasProgressed(self)
    }

    private func takeResults(_ handle: OpaquePointer) {
        var silence = 0
        while PQisBusy(handle) == 0, !flight.isEmpty {
            guard let result = PQgetResult(handle) else {
                // Ends a command. Several in a row would mean that we wait for what libpq does not: never spin on it.
                silence += 1
                if silence > 2 { return close("libpq and the flight disagree") }
                if flight.commandHasEnded() { finishHead(handle) }
                if self.handle == nil { return }
                continue
            }
            silence = 0
            switch flight.take(result) {
            case .more: continue
            case .finished: finishHead(handle)
            case .confused: return close("the server sent what was not asked for")
            }
            if self.handle == nil { return }
        }
    }

    private func finishHead(_ handle: OpaquePointer) {
        let (entry, result, error) = flight.popHead()
        if !flight.isEmpty { headHasChanged() }
        if state == .settingUp { return sessionIsSetUp(error.map { DatabaseError(result: $0.handle) }) }
        if let variant = entry.variant, entry.hasPrepared { prepared[variant] = .prepared }
        if entry.stage == .simple && PQenterPipelineMode(handle) != 1 { close(failureText()) }
        let reply: Reply
        if let error {
            reply = self.reply(to: entry, refusedBy: error)
        } else if let result {
            reply = .rows(Rows(result: result))
        } else {
            reply = .failed(.unavailable(detail: "the server answered nothing"))
        }
        entry.continuation?.resume(returning: reply)
    }
}
