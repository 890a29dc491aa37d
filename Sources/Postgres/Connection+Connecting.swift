import CPostgreSQL
import EventLoop

extension Connection {
    /// Begins to connect.
    /// - Parameter attempt: which of the addresses behind a host name is tried first.
    func start(_ parameters: [String: String], attempt: Int) {
        connectTimer = Timer(on: loop, after: limits.connect) { [unowned self] in close("connecting took too long") }
        guard parameters["hostaddr"] == nil, let name = parameters["host"], HostNames.mustResolve(name) else {
            return connect(parameters)
        }
        HostNames.resolve(name, on: loop) { [weak self] answer in
            guard let self, state == .connecting else { return }
            switch answer {
            case .failed(let reason): close("the host's name cannot be looked up: \(reason)")
            case .addresses(let addresses):
                // libpq takes them one after the other when one refuses; when one swallows packets, our time runs out
                // and the next attempt begins with the next.
                let start = attempt % addresses.count
                let ordered = addresses[start...] + addresses[..<start]
                var parameters = parameters
                parameters["hostaddr"] = ordered.joined(separator: ",")
                parameters["host"] = ordered.map { _ in name }.joined(separator: ",")
                connect(parameters)
            }
        }
    }

    private func connect(_ parameters: [String: String]) {
        handle = withKeywordArrays(parameters) { PQconnectStartParams($0, $1, 0) }
        guard let handle, PQstatus(handle) != CONNECTION_BAD else { return close(failureText()) }
        // The server's notices would go to standard error; its last words come this way too.
        PQsetNoticeReceiver(handle, Connection.receiveNotice, Unmanaged.passUnretained(self).toOpaque())
        watchWhileConnecting(.write)
    }

    /// libpq may close its socket and open another one in any call of PQconnectPoll, perhaps with the same number: so a
    /// watch lives only from one call to the next.
    private func watchWhileConnecting(_ events: Watch.Events) {
        guard let handle, PQsocket(handle) >= 0 else { return close(failureText()) }
        readWatch = Watch(on: loop, descriptor: PQsocket(handle), events: events) { [unowned self] in pollConnecting() }
    }

    private func pollConnecting() {
        guard let handle else { return }
        readWatch?.cancel()
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watchWhileConnecting(.read)
        case PGRES_POLLING_WRITING: watchWhileConnecting(.write)
        case PGRES_POLLING_OK: setUpSession(handle)
        default: close(failureText())
        }
    }

    /// Settings that every session has, whatever the server's and the role's defaults are. The time-out on the server is
    /// the first line: it needs no second connection, and works when this process has died.
    private func setUpSession(_ handle: OpaquePointer) {
        state = .settingUp
        PQsetnonblocking(handle, 1)
        readWatch = Watch(on: loop, descriptor: PQsocket(handle), events: .read) { [unowned self] in readable() }
        let limit = max(limits.statement.milliseconds, 1)
        send(
            simple: """
                SET timezone = 'UTC'; SET DateStyle = 'ISO'; SET standard_conforming_strings = on;
                SET default_transaction_isolation = 'read committed';
                SET statement_timeout = \(limit); SET idle_in_transaction_session_timeout = \(4 * limit)
                """, nil)
    }

    func sessionIsSetUp(_ error: DatabaseError?) {
        guard let handle else { return }
        if let error { return close(error.detail) }
        guard PQenterPipelineMode(handle) == 1 else { return close(failureText()) }
        connectTimer?.cancel()
        connectTimer = nil
        state = .ready
        owner?.connectionIsReady(self)
    }

    func failureText() -> String {
        if let lastWords { return lastWords }
        let text = PQerrorMessage(handle).map { String(cString: $0).onOneLine } ?? ""
        return text.isEmpty ? "libpq failed" : text
    }

    private static let receiveNotice: PQnoticeReceiver = { context, result in
        guard let context, let result,
            DatabaseError.field(.severity, of: result) == "FATAL"
        else { return }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        connection.lastWords = DatabaseError(result: result).detail
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
