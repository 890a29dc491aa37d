import JOSE
import JSON
import OpenSSL
import SeededRandom
import Testing

@Suite("JWS (RFC 7515)") struct JWSTests {
    static let key = Result { () throws(OpenSSLError) in try RSAPrivateKey.generate() }

    /// A compact JWS over the given header text and payload bytes, signed right.
    static func token(header: String, payload: String = #"{"sub":"alice"}"#) throws -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        return try "\(input).\(Base64URL.encode(key.get().signRS256(Array(input.utf8))))"
    }

    static func verify(_ token: String) throws -> VerifiedJWT? {
        let key = try key.get().publicKey
        return VerifiedJWT(token) { _ in key }
    }

    @Test("the example of Appendix A.2 verifies") func appendixA2() throws {
        let modulus = """
            ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pC\
            gNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg6\
            65xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRW\
            yuXpoQ
            """
        let token = """
            eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl\
            fQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUA\
            r7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi\
            12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGl\
            UPQGe77Rw
            """
        let key = try RSAPublicKey(modulus: #require(Base64URL.decode(modulus)), exponent: [1, 0, 1])
        let verified = try #require(VerifiedJWT(token) { $0 == nil ? key : nil })
        #expect(verified.keyID == nil)
        #expect(verified.type == nil)
        #expect(
            verified.claims
                == .object([
                    JSON.Member("iss", .string("joe")), JSON.Member("exp", .integer(1_300_819_380)),
                    JSON.Member("http://example.com/is_root", .bool(true)),
                ]))
    }

    @Test("what we sign verifies, with its key id, type and claims") func roundTrip() throws {
        let key = try Self.key.get()
        let keyID = JWK.thumbprint(of: key.publicKey)
        var claims = JSONObjectWriter()
        claims.add("sub", "alice")
        claims.add("iat", 1_700_000_000)
        let token = JWSSigner(key: key, keyID: keyID, type: "logout+jwt").sign(claims.finish())
        #expect(
            token.hasPrefix(
                Base64URL.encode(Array(#"{"alg":"RS256","kid":"\#(keyID)","typ":"logout+jwt"}"#.utf8)) + "."))
        let verified = try #require(VerifiedJWT(token) { $0 == keyID ? key.publicKey : nil })
        #expect(verified.keyID == keyID)
        #expect(verified.type == "logout+jwt")
        #expect(
            verified.claims
                == .object([JSON.Member("sub", .string("alice")), JSON.Member("iat", .integer(1_700_000_000))]))
        #expect(VerifiedJWT(token) { _ in nil } == nil)
        let other = try RSAPrivateKey.generate().publicKey
        #expect(VerifiedJWT(token) { _ in other } == nil)
    }

    @Test(
        "headers: RS256 alone, and nothing that must be understood (§4.1.1, §4.1.11)",
        arguments: [
            (#"{"alg":"RS256"}"#, true),
            (#"{"alg":"RS256","typ":"JWT","kid":"k","cty":"x","jku":"https://evil.example"}"#, true),
            (#" {"typ":"at+jwt", "alg":"RS256"} "#, true), (#"{"alg":"\u0052S256"}"#, true), (#"{}"#, false),
            (#"{"alg":"none"}"#, false), (#"{"alg":"None"}"#, false), (#"{"alg":""}"#, false),
            (#"{"alg":null}"#, false),
            (#"{"alg":["RS256"]}"#, false), (#"{"alg":"rs256"}"#, false), (#"{"alg":"RS256 "}"#, false),
            (#"{"alg":"HS256"}"#, false), (#"{"alg":"PS256"}"#, false), (#"{"alg":"RS384"}"#, false),
            (#"{"alg":"ES256"}"#, false),
            (#"{"alg":"RS256","crit":["exp"]}"#, false), (#"{"alg":"RS256","crit":[]}"#, false),
            (#"{"alg":"RS256","crit":null}"#, false), (#"{"alg":"RS256","b64":false}"#, false),
            (#"{"alg":"RS256","alg":"RS256"}"#, false), (#"{"alg":"RS256","\u0061lg":"none"}"#, false),
            (#"{"alg":"RS256","kid":1}"#, false), (#"{"alg":"RS256","kid":null}"#, false),
            (#"{"alg":"RS256","typ":{}}"#, false),
            (#"[{"alg":"RS256"}]"#, false), (#""RS256""#, false), ("null", false), ("", false),
            (#"{"alg":"RS256"}x"#, false),
            (#"{"alg":"RS256""#, false),
        ])
    func headers(header: String, accepted: Bool) throws {
        #expect((try Self.verify(Self.token(header: header)) != nil) == accepted)
    }

    @Test(
        "the payload is a JSON object",
        arguments: [
            ("{}", true), (#"{"a":{"b":[1]}}"#, true), ("[]", false), ("1", false), ("", false), ("null", false),
            ("{", false),
            (#"{"sub":"a","sub":"b"}"#, false), ("{} {}", false), ("\u{FEFF}{}", false),
        ])
    func payloads(payload: String, accepted: Bool) throws {
        #expect((try Self.verify(Self.token(header: #"{"alg":"RS256"}"#, payload: payload)) != nil) == accepted)
    }

    @Test("a payload or header that is not UTF-8 is refused") func notUTF8() throws {
        let key = try Self.key.get()
        let parts: [([UInt8], [UInt8])] = [
            (Array(#"{"alg":"RS256"}"#.utf8), Array(#"{"sub":"é"}"#.utf8.map { $0 == 0xC3 ? 0xFF : $0 })),
            (Array(#"{"alg":"RS256","x":"é"}"#.utf8.map { $0 == 0xC3 ? 0xFF : $0 }), Array("{}".utf8)),
        ]
        for (header, payload) in parts {
            let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
            #expect(try Self.verify("\(input).\(Base64URL.encode(key.signRS256(Array(input.utf8))))") == nil)
        }
    }

    @Test("three parts of strict base64url, not one byte else") func shapes() throws {
        let token = try Self.token(header: #"{"alg":"RS256"}"#)
        #expect(try Self.verify(token) != nil)
        let parts = token.split(separator: ".").map(String.init)
        let shapes = [
            "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).",
            ".\(parts[1]).\(parts[2])",
            "\(parts[0])..\(parts[2])", "\(token).", "\(token).\(parts[2])", ".\(token)", " \(token)", "\(token) ",
            "\(token)\n",
            "\(token)=", "\(token)==", "\(parts[0])=.\(parts[1]).\(parts[2])", "\(token)\0", "Bearer \(token)",
            token.replacing(".", with: ":"), "\(parts[0]).\(parts[1]).\(parts[2])A",
            "\(parts[0]).\(parts[2]).\(parts[1])",
            "{\"payload\":\"\(parts[1])\",\"protected\":\"\(parts[0])\",\"signature\":\"\(parts[2])\"}",
        ]
        for shape in shapes { #expect(try Self.verify(shape) == nil, "\(shape)") }
    }

    @Test("the last character of the signature has one spelling (unused bits are zero)") func malleability() throws {
        let token = try Self.token(header: #"{"alg":"RS256"}"#)
        let last = try #require(token.last)
        var accepted: [Character] = []
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
            if try Self.verify(token.dropLast() + String(character)) != nil { accepted.append(character) }
        }
        #expect(accepted == [last])
    }

    @Test("16 kB are read, more is not", arguments: [(16_384, true), (16_386, false)])
    func size(count: Int, accepted: Bool) throws {
        let header = #"{"alg":"RS256"}"#
        // Header, signature and dots take 20 + 342 + 2 characters; the payload the rest.
        let room = count - 364
        let payloadCount = room / 4 * 3 + [0: 0, 2: 1, 3: 2][room % 4, default: 0]
        let payload = "{}" + String(repeating: " ", count: payloadCount - 2)
        let token = try Self.token(header: header, payload: payload)
        try #require(token.utf8.count == count)
        #expect((try Self.verify(token) != nil) == accepted)
    }

    @Test("a changed token does not verify, and never traps (seeded mutations)") func mutations() throws {
        let key = try Self.key.get().publicKey
        let token = try Array(Self.token(header: #"{"alg":"RS256","kid":"k","typ":"JWT"}"#).utf8)
        var generator = SeededGenerator(seed: 9)
        let alphabet = Array("ABCxyz019-_.=+/ \n\0é".utf8)
        for _ in 0..<8_000 {
            var changed = token
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed[index] = UInt8.random(in: 0...127, using: &generator)
                case 1: changed[index] = alphabet.randomElement(using: &generator) ?? 0
                case 2: changed.insert(alphabet.randomElement(using: &generator) ?? 0, at: index)
                default: changed.removeSubrange(index..<min(changed.count, index + 5))
                }
            }
            let isSame = changed == token
            let verified = VerifiedJWT(String(decoding: changed, as: UTF8.self)) { _ in key }
            #expect((verified != nil) == isSame)
        }
    }
}

@Suite("JWK (RFC 7517)") struct JWKTests {
    @Test("the thumbprint example of RFC 7638 §3.1") func thumbprint() throws {
        let modulus = """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj\
            hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ\
            vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK\
            nqDKgw
            """
        let key = try RSAPublicKey(modulus: #require(Base64URL.decode(modulus)), exponent: [1, 0, 1])
        #expect(JWK.thumbprint(of: key) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(
            String(decoding: JWK(keyID: "k1", key: key).json.serialized(), as: UTF8.self)
                == #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"k1","n":"\#(modulus)","e":"AQAB"}"#)
    }
}
