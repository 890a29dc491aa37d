import EventLoop
import Glibc
import Synchronization

/// A result that one thread leaves and another waits for.
///
/// `@unchecked Sendable`: `value` is written before `sem_post` and read after `sem_wait`, which order the two.
private final class Handover<Value: Sendable>: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private var value: Value?

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func put(_ value: Value) {
        self.value = value
        sem_post(semaphore)
    }

    func take() -> Value {
        while sem_wait(semaphore) != 0 {}  // EINTR
        guard let value else { preconditionFailure("put() comes before sem_post") }
        return value
    }
}

extension EventLoop {
    /// Runs `body` as a task on this loop, whose thread runs already, and blocks the calling thread until it is done.
    /// Never from a loop's thread.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        precondition(!isOnLoop, "a loop cannot wait for itself")
        let handover = Handover<Result<Value, any Error>>()
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            handover.put(result)
        }
        return try handover.take().get()
    }
}

/// Runs `body` on an event loop made for it, and gives back what it returns or throws. The calling thread waits.
public func runOnLoop<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> Value) throws -> Value {
    let loop = EventLoop(index: 0)
    let thread = loop.startThread()
    defer {
        // Only when the result is here: what is left of a task that stops its own loop may be a turn too late.
        Task(executorPreference: loop) { loop.stop() }
        thread.join()
    }
    return try loop.blocking { try await body(loop) }
}
