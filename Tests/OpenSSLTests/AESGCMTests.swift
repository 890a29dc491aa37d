import Testing

@testable import OpenSSL

@Suite("AES-256-GCM (SP 800-38D)") struct AESGCMTests {
    struct Vector: Sendable {
        var key = String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2)
        var nonce = "cafebabefacedbaddecaf888"
        var plaintext: String
        var data = ""
        var ciphertext: String
        var tag: String
    }

    static let plaintext =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
        + "ba637b391aafd255"
    static let ciphertext =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a"
        + "bcc9f662898015ad"

    /// McGrew and Viega, The Galois/Counter Mode of Operation, test cases 13 to 16.
    static let vectors = [
        Vector(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plaintext: "",
            ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16), ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(plaintext: plaintext, ciphertext: ciphertext, tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Vector(
            plaintext: String(plaintext.dropLast(8)), data: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: String(ciphertext.dropLast(8)), tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test("published vectors, both ways", arguments: vectors) func vector(vector: Vector) {
        let cipher = AESGCM(key: bytes(hex: vector.key))
        let nonce = bytes(hex: vector.nonce)
        let data = bytes(hex: vector.data)
        let sealed = bytes(hex: vector.ciphertext + vector.tag)
        #expect(cipher.seal(bytes(hex: vector.plaintext), nonce: nonce, authenticating: data) == sealed)
        #expect(cipher.open(sealed, nonce: nonce, authenticating: data) == bytes(hex: vector.plaintext))
    }

    @Test("a change of any bit anywhere closes it for good", arguments: [0, 1, 40]) func changes(count: Int) {
        let cipher = AESGCM(key: randomBytes(32))
        let nonce = randomBytes(12)
        let data: [UInt8] = [1, 2, 3]
        let plaintext = randomBytes(count)
        let sealed = cipher.seal(plaintext, nonce: nonce, authenticating: data)
        #expect(sealed.count == count + AESGCM.tagCount)
        #expect(cipher.open(sealed, nonce: nonce, authenticating: data) == plaintext)
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(changed, nonce: nonce, authenticating: data) == nil)
        }
        for bit in 0..<(nonce.count * 8) {
            var changed = nonce
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.open(sealed, nonce: changed, authenticating: data) == nil)
        }
        for changed in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] as [[UInt8]] {
            #expect(cipher.open(sealed, nonce: nonce, authenticating: changed) == nil)
        }
        #expect(AESGCM(key: randomBytes(32)).open(sealed, nonce: nonce, authenticating: data) == nil)
    }

    @Test("what is too short, too long or has no 12-byte nonce does not open") func shapes() {
        let cipher = AESGCM(key: randomBytes(32))
        let nonce = randomBytes(12)
        let sealed = cipher.seal([7], nonce: nonce, authenticating: [])
        for count in 0..<sealed.count {
            #expect(cipher.open(Array(sealed.prefix(count)), nonce: nonce, authenticating: []) == nil)
        }
        #expect(cipher.open(sealed + [0], nonce: nonce, authenticating: []) == nil)
        for count in [0, 11, 13, 16] {
            #expect(cipher.open(sealed, nonce: randomBytes(count), authenticating: []) == nil)
        }
    }

    @Test("one instance serves many threads") func threads() async {
        let cipher = AESGCM(key: randomBytes(32))
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<200).allSatisfy { round in
                        let plaintext = [UInt8](repeating: UInt8(task), count: round)
                        let nonce = randomBytes(12)
                        let sealed = cipher.seal(plaintext, nonce: nonce, authenticating: [1])
                        return cipher.open(sealed, nonce: nonce, authenticating: [1]) == plaintext
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
