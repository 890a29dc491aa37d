import ASCII

/// The names of requests in the log and in `X-Request-Id`.
enum RequestID {
    /// 1 to 64 characters of [A-Za-z0-9._-]: cannot break a log line or a header.
    static func isAcceptable(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        (1...64).contains(bytes.count)
            && bytes.allSatisfy {
                ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
                    || $0 == UInt8(ascii: "-")
            }
    }

    /// Makes ids of 13 characters, which fit into a `String` without allocation. Unique per maker for 2^64 requests and
    /// by chance between makers; no secrets: a system call each would cost more than they are worth.
    struct Maker {
        private var state = UInt64.random(in: .min ... .max)

        mutating func next() -> String {
            // SplitMix64: a counter sent through a bijection.
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 31
            return String(unsafeUninitializedCapacity: 13) { text in
                for index in 0..<13 {
                    let digit = UInt8(bits & 31)
                    text[index] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
                    bits >>= 5
                }
                return 13
            }
        }
    }
}
