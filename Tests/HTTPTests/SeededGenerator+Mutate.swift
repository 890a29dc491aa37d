import SeededRandom

extension SeededGenerator {
    /// A few bytes changed, left out, doubled or put in.
    mutating func mutate(_ seed: [UInt8], with alphabet: [UInt8]) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let byte =
                Bool.random(using: &self)
                ? UInt8.random(in: 0...255, using: &self) : alphabet.randomElement(using: &self) ?? 0
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = byte
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(byte, at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &self)))
            default:
                bytes.insert(
                    contentsOf: bytes[place..<min(bytes.count, place + Int.random(in: 1...16, using: &self))], at: place
                )
            }
        }
        return bytes
    }
}
