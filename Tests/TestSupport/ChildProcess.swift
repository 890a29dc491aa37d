import Glibc
import Synchronization

/// A program that runs beside the test and dies with it.
///
/// The system tells a child of the death of the *thread* that started it (PR_SET_PDEATHSIG). So each child has a thread
/// of its own, which starts it and then waits for its end.
final class ChildProcess: Sendable {
    private struct State {
        var processID: pid_t?
        var status: Int32?
        var startFailure: Int32 = 0
    }
    private final class Box: Sendable {
        let arguments: [String]
        let logPath: String
        let state = Mutex(State())
        init(arguments: [String], logPath: String) {
            self.arguments = arguments
            self.logPath = logPath
        }
    }
    private let box: Box

    /// Standard output and error go to the end of the file at `logPath`.
    init(_ arguments: [String], logPath: String) throws {
        box = Box(arguments: arguments, logPath: logPath)
        var thread: pthread_t = 0
        let created = pthread_create(&thread, nil, ChildProcess.main, Unmanaged.passRetained(box).toOpaque())
        guard created == 0 else { throw TestFailure("no thread for \(arguments)") }
        pthread_detach(thread)
        while true {
            let state = box.state.withLock { $0 }
            if state.startFailure != 0 { throw TestFailure("cannot start \(arguments[0]): \(state.startFailure)") }
            if state.processID != nil { return }
            usleep(200)
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let box = Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, box.logPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A test runner may have signals blocked or ignored, and a child inherits both.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let arguments = box.arguments.map { strdup($0) } + [nil]
        var processID: pid_t = 0
        let failure = posix_spawnp(&processID, box.arguments[0], &actions, &attributes, arguments, environ)
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        box.state.withLock {
            $0.startFailure = failure
            if failure == 0 { $0.processID = processID }
        }
        guard failure == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        box.state.withLock { $0.status = status }
        return nil
    }

    var processID: pid_t { box.state.withLock { $0.processID ?? 0 } }
    var isRunning: Bool { box.state.withLock { $0.status == nil } }

    /// Under the lock that the end is reported under, so that no other process can have got the number meanwhile.
    func signal(_ number: Int32) {
        box.state.withLock { if $0.status == nil, let processID = $0.processID { Glibc.kill(processID, number) } }
    }

    /// - Returns: the exit status, or nil when it ended by a signal.
    @discardableResult func wait() -> Int32? {
        while true {
            if let status = box.state.withLock({ $0.status }) {
                return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
            }
            usleep(1000)
        }
    }
}
