import Issuance
import JOSE
import JSON
import OpenID
import OpenSSL

private let key: RSAPrivateKey = {
    do { return try RSAPrivateKey.generate() } catch { fatalError("no key: \(error)") }
}()

/// Arbitrary text never verifies; arbitrary header and payload, signed right, verify only where the rules allow it.
func fuzzJWT(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    rule(VerifiedJWT(text) { _ in key.publicKey } == nil, "a token that nobody signed")

    // The first line is the header, the rest the payload. Signing what is no RS256 header would only cost time.
    let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let header = Array(lines[0])
    let payload = lines.count > 1 ? Array(lines[1]) : []
    let headerJSON = try? JSON(parsing: header)
    let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    guard headerJSON?["alg"] == .string("RS256") else {
        rule(VerifiedJWT("\(signed).AAAA") { _ in key.publicKey } == nil, "an unsigned token")
        return
    }
    let token = "\(signed).\(Base64URL.encode(key.signRS256(Array(signed.utf8))))"
    var asked: String??
    let verified = VerifiedJWT(token) { keyID in
        asked = keyID
        return key.publicKey
    }
    let claims = try? JSON(parsing: payload)
    if let verified {
        rule(headerJSON?["crit"] == nil, "an extension that must be understood")
        rule(verified.claims == claims && claims?.objectValue != nil, "other claims than were signed")
        rule(asked == verified.keyID && verified.keyID == headerJSON?["kid"]?.stringValue, "another key id")
    } else {
        let isPlain = headerJSON?.objectValue?.count == 1 && claims?.objectValue != nil
        rule(!isPlain || token.utf8.count > VerifiedJWT.maximumCount, "a right token is refused")
    }
}

let jwtSeeds = [
    "{\"alg\":\"RS256\"}\n{}",
    "{\"alg\":\"RS256\",\"kid\":\"k\",\"typ\":\"JWT\"}\n{\"sub\":\"alice\",\"exp\":1700000000}",
    "{\"alg\":\"none\"}\n{\"sub\":\"alice\"}", "{\"alg\":\"RS256\",\"crit\":[\"x\"]}\n{}",
    "{\"alg\":\"RS256\",\"alg\":\"none\"}\n{}",
    "eyJhbGciOiJSUzI1NiJ9.e30.AAAA", "eyJhbGciOiJub25lIn0.e30.", "..", "{\"alg\":\"RS256\"}\n[]",
].map(seed)

private let masterKeys: MasterKeys = {
    do {
        return try MasterKeys(fileContents: Base64URL.encode([UInt8](repeating: 7, count: 32)))
    } catch { fatalError("no master key: \(error)") }
}()
private let tokens = SealedTokens(masterKeys)
private let accessTokenSealer = Sealer(masterKeys, purpose: "access token")
private let refreshTokenSealer = Sealer(masterKeys, purpose: "refresh token", nonces: .synthetic)

/// Nothing opens that was not sealed; what was sealed under our key is read or refused, whatever is in it.
func fuzzSealedToken(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    rule(tokens.openAccessToken(text) == nil && tokens.openRefreshToken(text) == nil, "a token that nobody sealed")
    rule(accessTokenSealer.open(input) == nil, "a seal that nobody made")

    let sealedAccess = accessTokenSealer.sealText(input)
    rule(accessTokenSealer.openText(sealedAccess) == input, "a seal does not give back what it holds")
    rule(refreshTokenSealer.openText(sealedAccess) == nil, "a seal opens for another purpose")
    if let token = tokens.openAccessToken(sealedAccess) {
        rule(tokens.openAccessToken(tokens.seal(token)) == token, "an access token changes by writing and reading")
    }
    let sealedRefresh = refreshTokenSealer.sealText(input)
    if let token = tokens.openRefreshToken(sealedRefresh) {
        rule(tokens.seal(token) == sealedRefresh, "one refresh token has two texts")
    }
    if let request = AuthorizationRequest(serialized: input) {
        rule(request.serialized() == input, "one authorization request has two forms")
    }
}

let sealedTokenSeeds: [[UInt8]] =
    [[], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 40)]
    + ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAA\0\0\0\0"].map(seed)
    + [
        AuthorizationRequest(
            clientID: "web1", redirectURI: "https://rp.example/cb",
            scope: ["openid", "email"],
            state: "s", nonce: "n", codeChallenge: nil, prompt: [.login], maxAge: 3600, loginHint: "é",
            idTokenHint: nil,
            uiLocales: ["de"], acrValues: [], display: "page"
        ).serialized(),
        {
            let token = AccessToken(
                grantID: 1, accountID: 2, issuedAt: 3, expiresAt: 4, clientID: "web1", scope: ["openid", "email"],
                epoch: 5)
            return accessTokenSealer.openText(tokens.seal(token)) ?? []
        }(),
    ]

/// What is read is written and read back as itself.
func fuzzJSON(_ input: [UInt8]) {
    guard let value = try? JSON(parsing: input) else { return }
    let compact = value.serialized()
    rule((try? JSON(parsing: compact)) == value, "compact text reads differently")
    rule((try? JSON(parsing: value.serialized(pretty: true))) == value, "pretty text reads differently")
    var writer = JSONObjectWriter()
    writer.add("value", value)
    rule(writer.finish() == Array("{\"value\":".utf8) + compact + [UInt8(ascii: "}")], "the writer writes otherwise")
}

let jsonSeeds = [
    "{}", "[]", "null", #"{"a":[1,-2.5e-3,true,null,"\u00e9\ud83d\ude00\n"],"b":{"c":{}}}"#, #"{"a":1,"a":2}"#,
    "[9223372036854775807,9223372036854775808,-0,1e308]", "[[[[[[[[[[]]]]]]]]]]", #""\ud800""#, "01", "\u{FEFF}{}",
    "\"é\u{2028}\"",
].map(seed)

let jsonWords = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud83d\\ude00", "\\udc00", "-0", "1e999", "0.1", "true",
    "false", "null",
    "\"alg\":\"RS256\"", "\"alg\":\"none\"", "\"crit\":[\"x\"]", "\"kid\":\"k\"", "\"typ\":\"JWT\"", "\n", "\0",
    "\u{FEFF}", ".",
]
