import Foundation

/// Runs `body`, which blocks, on a thread of its own: the threads that run tasks are as few as the cores, and one that
/// waits in the kernel is missing to every other test.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
