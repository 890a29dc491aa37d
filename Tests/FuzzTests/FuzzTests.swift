import FuzzTargets
import SeededRandom
import Testing

/// A short, always equal run of every fuzz target; `Fuzz/run` is the long one. A fault ends the process with its message.
@Suite("Fuzz targets") struct FuzzTests {
    @Test("stand their seeds and what mutations make of them", arguments: FuzzTarget.allCases)
    func mutations(target: FuzzTarget) {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1.5)
        var mutator = Mutator(words: target.words.map { Array($0.utf8) })
        var pool = target.seeds
        for input in pool { target.run(input) }
        var runs = 0
        // Some at least, however busy the machine is.
        while runs < 100 || clock.now < end && runs < 20_000 {
            let input = mutator.mutate(pool)
            target.run(input)
            runs += 1
            // There is no coverage to go by, so now and then a child stays to be a parent.
            if runs.isMultiple(of: 50), input.count < 4096 {
                if pool.count < 200 { pool.append(input) } else { pool[target.seeds.count + runs / 50 % 100] = input }
            }
        }
    }
}

struct Mutator {
    let words: [[UInt8]]
    private var generator = SeededGenerator(seed: 1)

    init(words: [[UInt8]]) { self.words = words }

    mutating func mutate(_ pool: [[UInt8]]) -> [UInt8] {
        var bytes = pool[Int.random(in: 0..<pool.count, using: &generator)]
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, index + Int.random(in: 1...16, using: &generator))
            switch Int.random(in: 0..<7, using: &generator) {
            case 0 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            case 3: bytes.removeSubrange(index..<end)
            case 4: bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            case 5:
                let other = pool[Int.random(in: 0..<pool.count, using: &generator)]
                bytes = Array(bytes.prefix(index)) + other.suffix(Int.random(in: 0...other.count, using: &generator))
            default: bytes.insert(contentsOf: words[Int.random(in: 0..<words.count, using: &generator)], at: index)
            }
        }
        return bytes
    }
}
