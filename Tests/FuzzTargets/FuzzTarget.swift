/// What is fed with arbitrary bytes: by libFuzzer (`Fuzz/run`) and, shortly, by a test of its own.
///
/// A target finds a fault by trapping: the code under test by itself, or one of the rules written here that must hold for
/// any input.
public enum FuzzTarget: String, CaseIterable, Sendable {
    case httpHead = "http-head"
    case chunkedBody = "chunked-body"
    case form
    case basicCredentials = "basic-credentials"
    case redirectURI = "redirect-uri"
    case claimsParameter = "claims-parameter"
    case jwt
    case sealedToken = "sealed-token"
    case json

    public func run(_ input: [UInt8]) {
        switch self {
        case .httpHead: fuzzHTTPHead(input)
        case .chunkedBody: fuzzChunkedBody(input)
        case .form: fuzzForm(input)
        case .basicCredentials: fuzzBasicCredentials(input)
        case .redirectURI: fuzzRedirectURI(input)
        case .claimsParameter: fuzzClaimsParameter(input)
        case .jwt: fuzzJWT(input)
        case .sealedToken: fuzzSealedToken(input)
        case .json: fuzzJSON(input)
        }
    }

    /// Inputs to begin with, right ones and nearly right ones.
    public var seeds: [[UInt8]] {
        switch self {
        case .httpHead: httpHeadSeeds
        case .chunkedBody: chunkedBodySeeds
        case .form: formSeeds
        case .basicCredentials: basicCredentialsSeeds
        case .redirectURI: redirectURISeeds
        case .claimsParameter: claimsParameterSeeds
        case .jwt: jwtSeeds
        case .sealedToken: sealedTokenSeeds
        case .json: jsonSeeds
        }
    }

    /// Words of the language the input is in, for mutations that keep its sense.
    public var words: [String] {
        switch self {
        case .httpHead: httpHeadWords
        case .chunkedBody:
            ["\r\n", "0\r\n\r\n", ";x=\"y\"", "ffffffffffffffff", "A", "Trailer: x\r\n", " ", "\n", "\0"]
        case .form: ["%00", "%", "%2", "+", "&", "=", "%C3%A9", "%FF", "redirect_uri=", "client_id=", "state="]
        case .basicCredentials: ["Basic ", "bearer ", ":", "%3A", "%", "+", "=", "web1", "d2ViMTo="]
        case .redirectURI: redirectURIWords
        case .claimsParameter: claimsParameterWords
        case .jwt, .json: jsonWords
        case .sealedToken: ["A", "-", "_", "=", "\0", "openid", "\u{1}", "\u{80}"]
        }
    }
}

/// A rule that must hold for any input.
func rule(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError("broken rule: \(text())") }
}

func seed(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Cuts the input into pieces of changing sizes, always the same ones for the same input.
func cuts(_ count: Int) -> [Int] {
    var ends: [Int] = []
    var end = 0
    var state = UInt32(truncatingIfNeeded: count) &* 2_654_435_761 | 1
    while end < count {
        state = state &* 1_664_525 &+ 1_013_904_223
        let size = count < 64 ? 1 : Int(state >> 24) % 40 + 1
        end = min(count, end + size)
        ends.append(end)
    }
    return ends
}
