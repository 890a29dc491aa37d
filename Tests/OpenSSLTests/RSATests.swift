import COpenSSL
import Foundation
import SeededRandom
import Testing

@testable import OpenSSL

@Suite("RSA and RS256") struct RSATests {
    static let key = Result { () throws(OpenSSLError) in try RSAPrivateKey.generate() }

    @Test("a key survives PKCS #8") func pkcs8() throws {
        let key = try Self.key.get()
        let again = try RSAPrivateKey(pkcs8: key.pkcs8())
        #expect(again.pkcs8() == key.pkcs8())
        #expect(again.publicKey.modulus == key.publicKey.modulus)
        #expect(again.publicKey.exponent == [1, 0, 1])
        #expect(again.signRS256([1, 2]) == key.signRS256([1, 2]))
    }

    @Test("a public key is its modulus and exponent; leading zeros do not count") func publicKey() throws {
        let key = try Self.key.get()
        let signature = key.signRS256([1])
        #expect(key.publicKey.modulus.count == 256)
        let again = try RSAPublicKey(modulus: [0, 0] + key.publicKey.modulus, exponent: [0, 1, 0, 1])
        #expect(again.modulus == key.publicKey.modulus)
        #expect(again.exponent == [1, 0, 1])
        #expect(again.verifyRS256(signature, message: [1]))
    }

    @Test("the openssl command and we verify what the other signed") func interoperation() throws {
        let key = try Self.key.get()
        let directory = try TemporaryDirectory()
        let keyFile = try directory.write("key.der", key.pkcs8())
        let publicFile = "\(directory.path)/public.pem"
        let message = Array("a message".utf8)
        let messageFile = try directory.write("message", message)
        let signatureFile = try directory.write("signature", key.signRS256(message))

        #expect(try openssl(["pkey", "-in", keyFile, "-inform", "DER", "-pubout", "-out", publicFile]).status == 0)
        let verify = ["dgst", "-sha256", "-verify", publicFile, "-signature", signatureFile, messageFile]
        #expect(try openssl(verify).status == 0)

        let theirs = "\(directory.path)/theirs"
        let sign = ["dgst", "-sha256", "-sign", keyFile, "-keyform", "DER", "-out", theirs, messageFile]
        #expect(try openssl(sign).status == 0)
        let signature = try [UInt8](Data(contentsOf: URL(fileURLWithPath: theirs)))
        #expect(key.publicKey.verifyRS256(signature, message: message))
        #expect(signature == key.signRS256(message))
    }

    @Test("PSS, other digests and raw signatures are no RS256") func otherSchemes() throws {
        let key = try Self.key.get()
        let directory = try TemporaryDirectory()
        let keyFile = try directory.write("key.der", key.pkcs8())
        let message = Array("a message".utf8)
        let messageFile = try directory.write("message", message)
        let output = "\(directory.path)/output"
        for options in [["-sha256", "-sigopt", "rsa_padding_mode:pss"], ["-sha1"], ["-sha512"]] {
            let sign = ["dgst"] + options + ["-sign", keyFile, "-keyform", "DER", "-out", output, messageFile]
            #expect(try openssl(sign).status == 0)
            let signature = try [UInt8](Data(contentsOf: URL(fileURLWithPath: output)))
            #expect(signature.count == 256)
            #expect(!key.publicKey.verifyRS256(signature, message: message))
        }
    }

    @Test("a wrong signature of any shape is false and leaves nothing in the error queue") func wrongSignatures() throws
    {
        let key = try Self.key.get()
        let other = try RSAPrivateKey.generate()
        let message: [UInt8] = [1, 2, 3]
        let right = key.signRS256(message)
        #expect(key.publicKey.verifyRS256(right, message: message))
        #expect(!key.publicKey.verifyRS256(right, message: []))
        #expect(!other.publicKey.verifyRS256(right, message: message))
        let shapes: [[UInt8]] = [
            [], [0], Array(right.dropLast()), right + [0], [0] + right, Array(right.dropFirst()), right + right,
            [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256), key.publicKey.modulus,
            [UInt8](repeating: 0, count: 255) + [1], [UInt8](repeating: 7, count: 100_000),
        ]
        for shape in shapes { #expect(!key.publicKey.verifyRS256(shape, message: message)) }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var changed = right
            changed[Int.random(in: 0..<256, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            #expect(!key.publicKey.verifyRS256(changed, message: message))
        }
        #expect(ERR_peek_error() == 0)
    }

    @Test("an empty message is signed like any other") func emptyMessage() throws {
        let key = try Self.key.get()
        #expect(key.publicKey.verifyRS256(key.signRS256([]), message: []))
    }

    @Test(
        "a public key has 2048 to 8192 bits",
        arguments: [
            (2047, false), (2048, true), (8192, true), (8193, false), (0, false), (1024, false), (100_000, false),
        ])
    func sizes(bits: Int, accepted: Bool) {
        ERR_clear_error()
        var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        if let first = modulus.first { modulus[0] = first >> UInt8((8 - bits % 8) % 8) }
        #expect(((try? RSAPublicKey(modulus: modulus, exponent: [1, 0, 1])) != nil) == accepted)
        #expect(ERR_peek_error() == 0)
    }

    @Test(
        "its exponent is odd, 3 or more, and fits 64 bits; its modulus is odd",
        arguments: [
            ([], false), ([0], false), ([1], false), ([2], false), ([3], true), ([0, 3], true), ([1, 0, 1], true),
            ([1, 0, 0], false), ([0, 1], false), ([255, 255, 255, 255, 255, 255, 255, 255], true),
            ([1, 0, 0, 0, 0, 0, 0, 0, 1], false),
        ] as [([UInt8], Bool)])
    func exponents(exponent: [UInt8], accepted: Bool) {
        var modulus = [UInt8](repeating: 0xFF, count: 256)
        #expect(((try? RSAPublicKey(modulus: modulus, exponent: exponent)) != nil) == accepted)
        modulus[255] = 0xFE
        #expect((try? RSAPublicKey(modulus: modulus, exponent: exponent)) == nil)
    }

    @Test("what is no whole PKCS #8 RSA key is refused") func badKeys() throws {
        ERR_clear_error()
        let whole = try Self.key.get().pkcs8()
        for count in stride(from: 0, to: whole.count, by: 37) {
            #expect(throws: OpenSSLError.self) { try RSAPrivateKey(pkcs8: Array(whole.prefix(count))) }
        }
        #expect(throws: OpenSSLError.self) { try RSAPrivateKey(pkcs8: whole + [0]) }
        #expect(throws: OpenSSLError.self) { try RSAPrivateKey(pkcs8: Array("garbage".utf8)) }

        let directory = try TemporaryDirectory()
        let made = "\(directory.path)/made.der"
        for algorithm in [
            ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], ["-algorithm", "ED25519"],
            ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], ["-algorithm", "RSA-PSS"],
        ] {
            let status = try openssl(["genpkey"] + algorithm + ["-outform", "DER", "-out", made]).status
            #expect(status == 0)
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: made)))
            #expect(throws: OpenSSLError.self) { try RSAPrivateKey(pkcs8: bytes) }
        }
        #expect(throws: OpenSSLError.self) { try RSAPrivateKey.generate(bits: 1024) }
        #expect(ERR_peek_error() == 0)
    }

    @Test("a damaged key is refused when it is read, or still signs right") func damagedKeys() throws {
        let whole = try Self.key.get().pkcs8()
        var generator = SeededGenerator(seed: 5)
        var refused = 0
        for _ in 0..<60 {
            var changed = whole
            changed[Int.random(in: 0..<whole.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            do throws(OpenSSLError) {
                let key = try RSAPrivateKey(pkcs8: changed)
                #expect(key.publicKey.verifyRS256(key.signRS256([1]), message: [1]))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test("one key serves many threads") func threads() async throws {
        let key = try Self.key.get()
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<20).allSatisfy { round in
                        let message = [UInt8(task), UInt8(round)]
                        return key.publicKey.verifyRS256(key.signRS256(message), message: message)
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
