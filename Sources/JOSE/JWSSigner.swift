import JSON
import OpenSSL

/// Signs compact JWS (RFC 7515 §7.1) with RS256; the encoded header is made once.
public struct JWSSigner: Sendable {
    public let keyID: String
    private let key: RSAPrivateKey
    /// Header, base64url, with the dot behind it.
    private let start: [UInt8]

    public init(key: RSAPrivateKey, keyID: String, type: String = "JWT") {
        self.key = key
        self.keyID = keyID
        var header = JSONObjectWriter()
        header.add("alg", "RS256")
        header.add("kid", keyID)
        header.add("typ", type)
        var start: [UInt8] = []
        Base64URL.append(header.finish(), to: &start)
        start.append(UInt8(ascii: "."))
        self.start = start
    }

    /// `payload` is a finished JSON text. CPU-heavy: take a heavy turn first.
    public func sign(_ payload: [UInt8]) -> String {
        var text: [UInt8] = []
        // The signature of the largest key (8192 bits) takes 1366 characters, of the usual one 342.
        text.reserveCapacity(start.count + payload.count * 4 / 3 + 400)
        text += start
        Base64URL.append(payload, to: &text)
        let signature = key.signRS256(text)
        text.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
