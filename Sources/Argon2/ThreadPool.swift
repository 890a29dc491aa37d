import Glibc

/// Threads that run jobs in the order they came, and a limit to how many jobs there may be.
///
/// `@unchecked`: everything that changes is read and written under `mutex`.
final class ThreadPool: @unchecked Sendable {
    /// Work, giving what is to be done when its place is free again: who waits for the work may come with more at once.
    typealias Job = @Sendable () -> @Sendable () -> Void

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let wakeUp: UnsafeMutablePointer<pthread_cond_t>
    private let limit: Int
    private var jobs: [Job] = []
    /// Running and waiting.
    private var outstanding = 0
    private var isStopped = false

    /// - Parameters:
    ///   - threads: how many jobs run at once.
    ///   - waiting: how many more may wait.
    init(threads: Int, waiting: Int) {
        precondition(threads > 0 && waiting >= 0, "a pool without threads runs nothing")
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        wakeUp = .allocate(capacity: 1)
        pthread_cond_init(wakeUp, nil)
        limit = threads + waiting
        for _ in 0..<threads { startThread() }
    }

    deinit {
        // The threads own the pool too, so none is left here.
        pthread_cond_destroy(wakeUp)
        wakeUp.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Whether the job was taken; false when there are too many, or the pool was stopped.
    func submit(_ job: @escaping Job) -> Bool {
        locked {
            guard outstanding < limit, !isStopped else { return false }
            outstanding += 1
            jobs.append(job)
            pthread_cond_signal(wakeUp)
            return true
        }
    }

    /// Jobs already taken are still done; then the threads end.
    func stop() {
        locked {
            isStopped = true
            pthread_cond_broadcast(wakeUp)
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    private func startThread() {
        // Signals are for the threads that wait for them; a new thread inherits the mask.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<ThreadPool>.fromOpaque(context).takeRetainedValue().work() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread for password hashing: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }

    private func work() {
        while let job = next() {
            let finish = job()
            locked { outstanding -= 1 }
            finish()
        }
    }

    /// Waits for a job; nil when the pool was stopped and none is left.
    private func next() -> Job? {
        locked {
            while jobs.isEmpty {
                if isStopped { return nil }
                pthread_cond_wait(wakeUp, mutex)
            }
            return jobs.removeFirst()
        }
    }
}
