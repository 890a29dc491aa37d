import EventLoop

/// Runs `body` as a task of an event loop with a thread of its own, and ends both when it returns.
///
/// Everything that lives on the loop (databases, servers, timers) must be closed by `body`.
public func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (EventLoop) async throws -> Value
) async throws -> Value {
    let loop = EventLoop(index: 0)
    let thread = loop.startThread()
    let task = Task(executorPreference: loop) {
        defer { loop.stop() }
        return try await body(loop)
    }
    let result = await task.result
    thread.join()
    return try result.get()
}
