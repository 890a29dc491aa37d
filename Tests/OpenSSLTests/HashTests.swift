import Testing

@testable import OpenSSL

@Suite("SHA-256 (FIPS 180-4)") struct SHA256Tests {
    @Test(
        "published vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vector(message: String, digest: String) {
        #expect(SHA256.hash(Array(message.utf8)) == bytes(hex: digest))
    }
}

@Suite("HMAC-SHA-256 (RFC 4231)") struct HMACTests {
    static let vectors: [(key: String, message: String, tag: String)] = [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            "0102030405060708090a0b0c0d0e0f10111213141516171819", String(repeating: "cd", count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            String(repeating: "aa", count: 131),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("published vectors", arguments: vectors) func vector(key: String, message: String, tag: String) {
        #expect(HMACSHA256.authenticate(bytes(hex: message), key: bytes(hex: key)) == bytes(hex: tag))
    }

    @Test("an empty key and an empty message are allowed") func empty() {
        #expect(
            HMACSHA256.authenticate([], key: [])
                == bytes(hex: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
    }
}

@Suite("HKDF-SHA-256 (RFC 5869)") struct HKDFTests {
    static let vectors: [(secret: String, salt: String, info: String, output: String)] = [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            hex(0x00...0x4F), hex(0x60...0xAF), hex(0xB0...0xFF),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        (
            String(repeating: "0b", count: 22), "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ]

    private static func hex(_ range: ClosedRange<UInt8>) -> String {
        range.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("published vectors (Appendix A.1 to A.3)", arguments: vectors)
    func vector(secret: String, salt: String, info: String, output: String) {
        let output = bytes(hex: output)
        let derived = HKDFSHA256.derive(
            secret: bytes(hex: secret), salt: bytes(hex: salt), info: bytes(hex: info), count: output.count)
        #expect(derived == output)
    }

    @Test("a shorter output is the beginning of a longer one", arguments: [1, 31, 32, 33, 64, 8160])
    func lengths(count: Int) {
        let long = HKDFSHA256.derive(secret: [1], salt: [], info: "purpose", count: 8160)
        #expect(HKDFSHA256.derive(secret: [1], salt: [], info: "purpose", count: count) == Array(long.prefix(count)))
        #expect(HKDFSHA256.derive(secret: [1], salt: [], info: "other", count: count) != Array(long.prefix(count)))
    }
}

@Suite("Random bytes and comparison") struct RandomTests {
    @Test("as many bytes as asked for, each time others", arguments: [0, 1, 16, 32, 256, 257, 1000]) func random(
        count: Int
    ) {
        #expect(randomBytes(count).count == count)
        if count >= 16 { #expect(randomBytes(count) != randomBytes(count)) }
    }

    @Test("equal is equal in every byte and in length") func comparison() {
        let value = Array<UInt8>(0..<32)
        #expect(constantTimeEqual(value, Array(0..<32)))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(value, Array(value.dropLast())))
        #expect(!constantTimeEqual(value, []))
        for index in value.indices {
            var other = value
            other[index] ^= 0x80
            #expect(!constantTimeEqual(value, other))
        }
    }
}
