import Glibc
import JSON
import Synchronization

/// Where lines go. Usually one write(2) a line; never waits long, whether or not the descriptor is non-blocking.
final class LogOutput: Sendable {
    private struct State {
        /// Nobody read in time; until somebody does again, no line waits.
        var isStuck = false
        /// A line was cut off, so the next one starts on a new one.
        var isMidLine = false
        /// Lines lost since one last went through.
        var dropped: Int64 = 0
    }

    /// As much as a pipe that is ready takes without blocking (PIPE_BUF); a longer line goes in parts.
    private static let part = 4096
    private static let patience: Int32 = 20  // ms

    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// `line` ends with a line feed.
    func write(_ line: [UInt8]) {
        state.withLock { state in
            if state.dropped > 0 || state.isMidLine {
                var note: [UInt8] = state.isMidLine ? [UInt8(ascii: "\n")] : []
                if state.dropped > 0 {
                    note += Log.line(.warning, "log.dropped", [JSON.Member("lines", .integer(state.dropped))], at: .now)
                }
                guard send(note, &state) else {
                    state.dropped += 1
                    return
                }
                state.dropped = 0
            }
            if !send(line, &state) { state.dropped += 1 }
        }
    }

    private func send(_ bytes: [UInt8], _ state: inout State) -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard isReady(&state) else {
                if sent > 0 { state.isMidLine = true }
                return false
            }
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]).baseAddress,
                    min(bytes.count - sent, Self.part))
            }
            if count > 0 {
                sent += count
            } else if count < 0, errno == EINTR || errno == EAGAIN {
                continue
            } else {
                return false
            }
        }
        state.isMidLine = false
        return true
    }

    private func isReady(_ state: inout State) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let ready = poll(&waiting, 1, state.isStuck ? 0 : Self.patience)
        state.isStuck = ready <= 0
        return ready > 0 && waiting.revents & Int16(POLLOUT) != 0
    }
}

extension timespec {
    static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}
