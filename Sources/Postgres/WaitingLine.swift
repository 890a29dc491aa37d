import EventLoop

/// Those who wait for a connection, first come first served, each for at most the same time.
///
/// Loop thread only.
final class WaitingLine<Element> {
    private let loop: EventLoop
    private let limit: Duration
    private let expired: (Element) -> Void
    private var items: [(element: Element, deadline: MonotonicTime)] = []
    private var first = 0
    private var timer: Timer?

    init(loop: EventLoop, limit: Duration, expired: @escaping (Element) -> Void) {
        self.loop = loop
        self.limit = limit
        self.expired = expired
    }

    var count: Int { items.count - first }
    var isEmpty: Bool { first == items.count }

    func append(_ element: Element) {
        items.append((element, .now.advanced(by: limit)))
        // One timer for the whole line: when it fires, it is set again for who is first then.
        if timer == nil { setTimer(limit) }
    }

    func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = items[first].element
        first += 1
        if isEmpty {
            items.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 256 {
            items.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Lets everyone's time end now.
    func expireAll() {
        timer?.cancel()
        timer = nil
        while let element = popFirst() { expired(element) }
    }

    private func setTimer(_ delay: Duration) {
        timer = Timer(on: loop, after: delay) { [unowned self] in expire() }
    }

    private func expire() {
        timer = nil
        let now = MonotonicTime.now
        while !isEmpty, items[first].deadline <= now, let element = popFirst() { expired(element) }
        if !isEmpty { setTimer(items[first].deadline.duration(since: now)) }
    }
}
