import CEvent
import Glibc
import Synchronization

/// One thread that runs sockets, timers and Swift tasks, so that a request stays on it from its first byte to its last.
///
/// The loop is a `SerialExecutor` and a `TaskExecutor`: `Task(executorPreference: loop)` and everything it awaits runs
/// here. Everything registered with a loop (watches, timers) is created, used and cancelled on the loop's own thread.
///
/// `@unchecked Sendable`: `remote` is behind a mutex; all else is touched on the loop's thread only, which
/// `preconditionOnLoop()` checks at the entrances.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// The loop's number, from 0.
    public let index: Int

    let base: OpaquePointer
    private let wakeDescriptor: Int32
    private var wakeWatch: Watch?

    private struct Remote {
        var jobs: [UnownedJob] = []
        var isSignalled = false
    }
    private let remote = Mutex(Remote())
    private let threadID = Atomic<UInt>(0)

    private var local: [UnownedJob] = []
    private var spare: [UnownedJob] = []
    private var heavy: [UnsafeContinuation<Void, Never>] = []
    private var heavyHead = 0
    private var isStopping = false

    public init(index: Int) {
        self.index = index
        let configuration = event_config_new()
        let flags = EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue
        event_config_set_flag(configuration, Int32(bitPattern: flags))
        guard let base = event_base_new_with_config(configuration) else {
            fatalError("libevent could not make an event base")
        }
        event_config_free(configuration)
        self.base = base
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        let descriptor = wakeDescriptor
        wakeWatch = Watch(loop: self, descriptor: wakeDescriptor, events: .read) {
            var count: eventfd_t = 0
            _ = eventfd_read(descriptor, &count)
        }
    }

    deinit {
        wakeWatch?.cancel()  // before its base
        event_base_free(base)
        close(wakeDescriptor)
    }

    /// Whether the caller runs on this loop's thread.
    public var isOnLoop: Bool { threadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Traps when the caller is on another thread: for the entrances of types that live on one loop.
    public func preconditionOnLoop() { precondition(isOnLoop, "called from outside the event loop") }

    // MARK: Running

    /// Turns the calling thread into the loop's; returns after `stop()`.
    public func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        while !isStopping {
            takeRemoteJobs()
            // Bounded, so that tasks which keep waking one another cannot starve the sockets.
            var rounds = 0
            while !local.isEmpty && rounds < 16 {
                runLocalJobs()
                rounds += 1
            }
            runOneHeavyStep()
            if isStopping { break }  // event_base_loop forgets a loopbreak made before it
            let isIdle = local.isEmpty && heavy.isEmpty
            event_base_loop(base, isIdle ? Int32(EVLOOP_ONCE) : Int32(EVLOOP_NONBLOCK))
        }
        threadID.store(0, ordering: .relaxed)
    }

    /// Starts a thread that runs the loop. All signals should be blocked beforehand, so that the main thread gets them.
    /// - Returns: the thread, to be joined after `stop()`.
    public func startThread() -> LoopThread {
        var thread: pthread_t = 0
        let context = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(&thread, nil, EventLoop.threadMain, context)
        precondition(status == 0, "the system refused a thread")
        return LoopThread(thread: thread)
    }

    private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    /// Ends `run()` after the current turn. On the loop only.
    public func stop() {
        preconditionOnLoop()
        isStopping = true
        event_base_loopbreak(base)
    }

    private func takeRemoteJobs() {
        remote.withLock { remote in
            remote.isSignalled = false
            guard !remote.jobs.isEmpty else { return }
            local.append(contentsOf: remote.jobs)
            remote.jobs.removeAll(keepingCapacity: true)
        }
    }

    private func runLocalJobs() {
        swap(&local, &spare)  // what the running jobs enqueue lands in `local`
        let serialExecutor = asUnownedSerialExecutor()
        let taskExecutor = asUnownedTaskExecutor()
        for job in spare { job.runSynchronously(isolatedTo: serialExecutor, taskExecutor: taskExecutor) }
        spare.removeAll(keepingCapacity: true)
    }

    // MARK: The heavy lane

    /// Waits for this loop's next free slot for an expensive step such as an RSA signature.
    ///
    /// One waiter is let through per turn, and the sockets are looked at in between, so that cheap requests are not
    /// stuck behind a queue of signatures. On the loop only; the caller goes on on the loop.
    public func heavyTurn() async {
        preconditionOnLoop()
        await withUnsafeContinuation { heavy.append($0) }
    }

    private func runOneHeavyStep() {
        guard heavyHead < heavy.count else { return }
        let continuation = heavy[heavyHead]
        heavyHead += 1
        if heavyHead == heavy.count {
            heavy.removeAll(keepingCapacity: true)
            heavyHead = 0
        }
        continuation.resume()
        runLocalJobs()
    }

    // MARK: Timers

    /// Suspends the calling task for `duration`. On the loop only.
    public func sleep(for duration: Duration) async {
        preconditionOnLoop()
        await withUnsafeContinuation { continuation in
            Timer.once(on: self, after: duration) { continuation.resume() }
        }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop {
            local.append(job)
            return
        }
        let mustWake = remote.withLock { remote in
            remote.jobs.append(job)
            defer { remote.isSignalled = true }
            return !remote.isSignalled
        }
        if mustWake { _ = eventfd_write(wakeDescriptor, 1) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
    public func checkIsolated() { preconditionOnLoop() }
    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }
}

/// A thread that runs an `EventLoop`.
public struct LoopThread: Sendable {
    let thread: pthread_t

    /// Waits until the loop has stopped. Not from the loop itself.
    public func join() { pthread_join(thread, nil) }
}
