import SeededRandom
import Testing

@testable import HTTP

@Suite("Chunked bodies as values (RFC 9112 §7.1)") struct ChunkedDecoderTests {
    private func decode(_ text: String, limit: Int = 1024) -> (
        body: String, consumed: Int, outcome: ChunkedDecoder.Outcome
    ) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        let (consumed, outcome) = Array(text.utf8).withUnsafeBufferPointer {
            decoder.decode($0, into: &body, limit: limit)
        }
        return (String(decoding: body, as: UTF8.self), consumed, outcome)
    }

    private func status(_ text: String, limit: Int = 1024) -> Int? {
        switch decode(text, limit: limit).outcome {
        case .incomplete: nil
        case .complete: 200
        case .refused(let refusal): refusal.status
        }
    }

    @Test("what stands behind the body is left alone") func rest() {
        let result = decode("3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: u\r\n\r\nGET /")
        #expect(result.body == "abc0123456789")
        #expect(result.outcome == .complete)
        #expect(result.consumed == "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: u\r\n\r\n".utf8.count)
    }

    @Test("a size has one to eight hex digits") func sizes() {
        for size in ["0", "00000000"] { #expect(status("\(size)\r\n\r\n") == 200) }
        for size in ["", "000000000", "g", "0x0", "+0", "-0", " 0", "0 ", "\t0", "0\u{0B}", "0,", "0\0"] {
            #expect(status("\(size)\r\n\r\n") == 400, "\(size)")
        }
        #expect(status("FFFFFFFF\r\n") == 413)
        #expect(status("a\r\n0123456789\r\n0\r\n\r\n") == 200)
        #expect(status("A\r\n0123456789\r\n0\r\n\r\n") == 200)
    }

    @Test("behind a size stands CR, an extension or another digit, for every byte") func byteBehindSize() {
        for byte in UInt8.min...UInt8.max {
            let wire = [UInt8(ascii: "0"), byte] + Array("\r\n\r\n".utf8)
            var decoder = ChunkedDecoder()
            var body: [UInt8] = []
            let outcome = wire.withUnsafeBufferPointer { decoder.decode($0, into: &body, limit: 64).outcome }
            switch byte {
            case UInt8(ascii: "0"), UInt8(ascii: ";"): #expect(outcome == .complete)
            case UInt8(ascii: "1"): #expect(outcome == .refused(Refusal(400, "chunk longer than its size")))
            case UInt8(ascii: "2"): #expect(outcome == .incomplete && body == [13, 10])
            case UInt8(ascii: "3")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                UInt8(ascii: "a")...UInt8(ascii: "f"):
                #expect(outcome == .incomplete && body == Array("\r\n".utf8))
            default:
                guard case .refused(let refusal) = outcome else {
                    Issue.record("byte \(byte) was taken")
                    continue
                }
                #expect(refusal.status == 400)
            }
        }
    }

    @Test("the body may be as long as the limit and no longer, however it is cut") func limit() {
        #expect(status("4\r\nabcd\r\n0\r\n\r\n", limit: 4) == 200)
        #expect(status("5\r\n", limit: 4) == 413)
        #expect(status("3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", limit: 4) == 200)
        #expect(status("3\r\nabc\r\n2\r\n", limit: 4) == 413)
    }

    @Test("extensions and trailers are bounded") func overhead() {
        let long = String(repeating: "e", count: 16 * 1024)
        #expect(status("0;\(long)\r\n\r\n") == 200)
        #expect(status("0;\(long)e") == 431)
        #expect(status("0\r\nT: \(long)") == 431)
        let many = String(repeating: "T: u\r\n", count: 10_000)
        #expect(status("0\r\n\(many)") == 431)
    }

    @Test("a body of single bytes is no attack") func singleBytes() {
        let result = decode(String(repeating: "1\r\na\r\n", count: 65_536) + "0\r\n\r\n", limit: 65_536)
        #expect(result.outcome == .complete && result.body.utf8.count == 65_536)
    }

    @Test("what was cut into chunks anyhow comes out whole") func roundTrip() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<300 {
            let content = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            var wire: [UInt8] = []
            var rest = content[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 1...40, using: &generator))
                rest = rest.dropFirst(chunk.count)
                wire += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
            }
            wire += Array("0\r\n\r\n".utf8)
            var decoder = ChunkedDecoder()
            var body: [UInt8] = []
            var outcome = ChunkedDecoder.Outcome.incomplete
            var position = 0
            while position < wire.count {
                let end = min(wire.count, position + Int.random(in: 1...9, using: &generator))
                outcome = wire[position..<end].withUnsafeBufferPointer {
                    decoder.decode($0, into: &body, limit: 200).outcome
                }
                if end < wire.count { #expect(outcome == .incomplete) }
                position = end
            }
            #expect(outcome == .complete && body == content)
        }
    }

    @Test("mutated bodies never trap, and cutting them changes nothing") func fuzz() {
        let seeds = [
            "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: value\r\n\r\n", "0\r\n\r\n",
            "00a ;b\r\n0123456789\r\n1\r\na\r\n0;c\r\nA:\r\n\r\nGET",
        ].map { Array($0.utf8) }
        let alphabet = Array("\r\n\0\t ;:=0123456789abcdefABCDEFx-+".utf8)
        var generator = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            let bytes = generator.mutate(seeds[round % seeds.count], with: alphabet)
            bytes.withUnsafeBufferPointer { Fuzzing.chunkedBody($0, limit: 64) }
        }
    }
}
