import Testing

@testable import OpenID

@Suite("The byte form of an authorization request") struct SerializationTests {
    private static let full = AuthorizationRequest(
        clientID: "app1", redirectURI: "http://127.0.0.1:51004/cb?x=1",
        scope: ["openid", "email"], state: "a+b c&d=e%f\u{E9}",
        nonce: String(repeating: "n", count: 256), codeChallenge: Fixture.challenge, prompt: [.login, .selectAccount],
        maxAge: 0, loginHint: "alice",
        idTokenHint: String(repeating: "h", count: 4096), uiLocales: ["de-AT", "fi"], acrValues: ["1"], display: "page")

    private static let withClaims: AuthorizationRequest = {
        var request = least
        request.claims = ClaimsRequest(userInfo: [.name, .phoneNumber], idToken: [.email], subject: "alice")
        return request
    }()

    private static let least = AuthorizationRequest(
        clientID: "x", redirectURI: "https://rp.example", scope: ["openid"], state: nil,
        nonce: nil, codeChallenge: nil,
        prompt: [], maxAge: nil, loginHint: nil, idTokenHint: nil, uiLocales: [], acrValues: [], display: nil)

    @Test("There and back", arguments: [full, least, withClaims]) func roundTrip(request: AuthorizationRequest) {
        #expect(AuthorizationRequest(serialized: request.serialized()) == request)
    }

    @Test("State comes back byte for byte, not only canonically equal") func exact() throws {
        var request = SerializationTests.least
        request.state = "e\u{301}\u{212A}"
        let back = try #require(AuthorizationRequest(serialized: request.serialized())?.state)
        #expect(Array(back.utf8) == Array("e\u{301}\u{212A}".utf8))
    }

    @Test("Empty and missing are told apart; every prompt and edge of lengths survives") func edges() {
        var request = SerializationTests.least
        request.state = ""
        #expect(AuthorizationRequest(serialized: request.serialized())?.state == "")
        for bits in 0..<16 {
            request.prompt = Set(Prompt.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map(\.element))
            #expect(AuthorizationRequest(serialized: request.serialized()) == request)
        }
        for count in [126, 127, 128, 16382, 16383, 16384] {
            request.state = String(repeating: "s", count: count)
            #expect(AuthorizationRequest(serialized: request.serialized()) == request)
        }
        for age in [0, 1, AuthorizationRequest.maxAgeLimit, Int.max, Int.min, -1] {
            request.maxAge = age
            #expect(AuthorizationRequest(serialized: request.serialized()) == request)
        }
    }

    @Test("It is small: the usual request takes little more than its texts") func size() throws {
        var request = SerializationTests.full
        request.idTokenHint = nil
        let texts = [
            request.clientID, request.redirectURI, request.state ?? "", request.nonce ?? "",
            request.codeChallenge ?? "", "alice", "openidemail", "de-ATfi1page0",
        ]
        #expect(request.serialized().count <= texts.reduce(0) { $0 + $1.utf8.count } + 25)
    }

    @Test("Without claims it has the form that the release before knows; with them it has another")
    func forms() {
        #expect(SerializationTests.full.serialized()[0] == 1)
        #expect(SerializationTests.withClaims.serialized()[0] == 2)
        let names = ["name", "phone_number", "email", "alice"]
        #expect(
            SerializationTests.withClaims.serialized().count
                == SerializationTests.least.serialized().count + names.reduce(3) { $0 + $1.utf8.count + 1 } - 1)
    }

    @Test("No claims at all, or a claim that is none of ours, is not what the form with claims says")
    func strangeClaims() {
        var bytes = SerializationTests.least.serialized()
        bytes[0] = 2
        #expect(AuthorizationRequest(serialized: bytes + [0, 0, 0]) == nil)
        #expect(AuthorizationRequest(serialized: bytes + [1, 5] + Array("name".utf8) + [0, 0]) != nil)
        #expect(AuthorizationRequest(serialized: bytes + [1, 5] + Array("nome".utf8) + [0, 0]) == nil)
    }

    @Test("Every cut, and anything behind it, is refused") func cuts() {
        for request in [SerializationTests.full, SerializationTests.least, SerializationTests.withClaims] {
            let bytes = request.serialized()
            for count in 0..<bytes.count { #expect(AuthorizationRequest(serialized: Array(bytes[..<count])) == nil) }
            #expect(AuthorizationRequest(serialized: bytes + [0]) == nil)
        }
    }

    @Test("Another format number is refused") func version() {
        var bytes = SerializationTests.least.serialized()
        for form: UInt8 in [0, 2, 3, 255] {
            bytes[0] = form
            #expect(AuthorizationRequest(serialized: bytes) == nil)
        }
    }

    @Test("Fuzz: bytes are refused or are exactly what the value serializes to") func fuzzing() {
        fuzz(
            bytes: [
                SerializationTests.full.serialized(), SerializationTests.least.serialized(),
                SerializationTests.withClaims.serialized(), [],
                [1, 15, 255, 255, 255, 127],
            ], rounds: 60_000
        ) { bytes in
            guard let request = AuthorizationRequest(serialized: bytes) else { return }
            if request.serialized() != bytes { Issue.record("\(bytes)") }
        }
    }
}
