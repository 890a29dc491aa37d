import ASCII

/// Takes the chunked coding off a body (RFC 9112 §7.1), strictly, however it is cut into pieces.
///
/// A value without I/O. Chunk extensions and trailer fields are checked for their bytes and dropped.
package struct ChunkedDecoder: Sendable {
    package enum Outcome: Sendable, Equatable {
        case incomplete
        case complete
        case refused(Refusal)
    }

    private enum State {
        case sizeStart, size, sizeBlank, chunkExtension, sizeLineFeed, data, dataEnd, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed, done
    }

    /// Extensions and trailers together: more is somebody's attempt to keep us busy.
    private static let overheadLimit = 16 * 1024

    private var state = State.sizeStart
    private var remaining = 0
    private var digits = 0
    private var overhead = 0

    package init() {}

    /// Appends what the bytes hold of the body.
    /// - Returns: how many bytes were taken; all of them, unless the body is complete (the rest is the next request)
    ///   or refused.
    package mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into body: inout [UInt8], limit: Int
    ) -> (consumed: Int, outcome: Outcome) {
        var position = 0
        do throws(Refusal) {
            while position < bytes.count && state != .done {
                if state == .data {
                    let count = min(remaining, bytes.count - position)
                    body.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<(position + count)]))
                    position += count
                    remaining -= count
                    if remaining == 0 { state = .dataEnd }
                } else {
                    state = try next(bytes[position])
                    position += 1
                    if state == .data && remaining > limit - body.count { throw Refusal(413, "body too large") }
                }
            }
        } catch {
            return (position, .refused(error))
        }
        return (position, state == .done ? .complete : .incomplete)
    }

    private mutating func next(_ byte: UInt8) throws(Refusal) -> State {
        switch state {
        case .sizeStart, .size: return try sizeByte(byte)
        case .sizeBlank:
            // Blanks may stand before the ";" of an extension (§7.1.1), nowhere else.
            if ASCII.isBlank(byte) { return try counted(.sizeBlank) }
            guard byte == UInt8(ascii: ";") else { throw Refusal(400, "bad chunk size") }
            return .chunkExtension
        case .chunkExtension:
            if byte == ASCII.carriageReturn { return .sizeLineFeed }
            guard ASCII.isFieldValue(byte) else { throw Refusal(400, "bad chunk extension") }
            return try counted(.chunkExtension)
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw Refusal(400, "bad chunk line") }
            digits = 0
            return remaining == 0 ? .trailerStart : .data
        case .dataEnd:
            guard byte == ASCII.carriageReturn else { throw Refusal(400, "chunk longer than its size") }
            return .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw Refusal(400, "chunk longer than its size") }
            return .sizeStart
        case .trailerStart, .trailerName: return try trailerByte(byte)
        case .trailerValue:
            if byte == ASCII.carriageReturn { return .trailerLineFeed }
            guard ASCII.isFieldValue(byte) else { throw Refusal(400, "bad trailer value") }
            return try counted(.trailerValue)
        case .trailerLineFeed:
            guard byte == ASCII.lineFeed else { throw Refusal(400, "bad trailer line") }
            return .trailerStart
        case .lastLineFeed:
            guard byte == ASCII.lineFeed else { throw Refusal(400, "bad trailer line") }
            return .done
        case .data, .done: return state
        }
    }

    private mutating func sizeByte(_ byte: UInt8) throws(Refusal) -> State {
        if let digit = ASCII.hexValue(byte) {
            // Eight digits hold more than any limit and cannot overflow.
            guard digits < 8 else { throw Refusal(400, "bad chunk size") }
            remaining = digits == 0 ? Int(digit) : remaining << 4 | Int(digit)
            digits += 1
            return .size
        }
        guard state == .size else { throw Refusal(400, "bad chunk size") }
        switch byte {
        case ASCII.carriageReturn: return .sizeLineFeed
        case UInt8(ascii: ";"): return .chunkExtension
        case ASCII.space, ASCII.tab: return .sizeBlank
        default: throw Refusal(400, "bad chunk size")
        }
    }

    private mutating func trailerByte(_ byte: UInt8) throws(Refusal) -> State {
        if ASCII.isToken(byte) { return try counted(.trailerName) }
        if state == .trailerStart && byte == ASCII.carriageReturn { return .lastLineFeed }
        guard state == .trailerName, byte == UInt8(ascii: ":") else { throw Refusal(400, "bad trailer name") }
        return .trailerValue
    }

    private mutating func counted(_ next: State) throws(Refusal) -> State {
        overhead += 1
        if overhead > Self.overheadLimit { throw Refusal(431, "chunk extensions or trailers too large") }
        return next
    }
}
