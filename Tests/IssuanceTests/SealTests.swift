import Issuance
import JOSE
import SeededRandom
import Testing

@Suite("Master keys") struct MasterKeysTests {
    @Test("A file has one key a line, comments and blank lines aside")
    func file() throws {
        let first = MasterKeys.generateFile()
        let second = MasterKeys.generateFile()
        _ = try MasterKeys(fileContents: "# current\n\(first)\n  # former\n\(second)# end")
    }

    @Test(
        "Anything else is refused with the line's number",
        arguments: [
            ("", "there is no master key in it"), ("# none\n", "there is no master key in it"),
            ("abc", "line 1 is no master key: 43 base64url characters are needed"),
            ("\n" + String(repeating: "A", count: 44), "line 2 is no master key: 43 base64url characters are needed"),
        ])
    func refused(contents: String, reason: String) {
        let problem = #expect(throws: MasterKeys.Problem.self) { try MasterKeys(fileContents: contents) }
        #expect(problem?.description == reason)
    }

    @Test("The same key twice is refused")
    func twice() {
        let key = MasterKeys.generateFile()
        #expect(throws: MasterKeys.Problem.self) { try MasterKeys(fileContents: key + key) }
    }

    @Test("A client secret fits its own hash only, also after the master key was rotated")
    func clientSecrets() throws {
        let former = MasterKeys.generateFile()
        let before = try MasterKeys(fileContents: former)
        let secret = MasterKeys.makeClientSecret()
        #expect(secret.utf8.count == 43)
        let hash = before.hash(secret: secret)
        #expect(before.verify(secret: secret, against: hash))
        #expect(!before.verify(secret: secret + "x", against: hash))
        #expect(!before.verify(secret: "", against: hash))
        #expect(!before.verify(secret: secret, against: []))
        let rotated = try MasterKeys(fileContents: MasterKeys.generateFile() + former)
        #expect(rotated.verify(secret: secret, against: hash))
        #expect(rotated.hash(secret: secret) != hash)
        let replaced = try MasterKeys(fileContents: MasterKeys.generateFile())
        #expect(!replaced.verify(secret: secret, against: hash))
    }
}

@Suite("Seals") struct SealerTests {
    let former = MasterKeys.generateFile()

    @Test("A seal opens for its purpose and under its key only")
    func purposes() throws {
        let keys = try MasterKeys(fileContents: former)
        let sealer = Sealer(keys, purpose: "one")
        let sealed = sealer.sealText([1, 2, 3])
        #expect(sealer.openText(sealed) == [1, 2, 3])
        #expect(Sealer(keys, purpose: "two").openText(sealed) == nil)
        #expect(Sealer(try MasterKeys(fileContents: MasterKeys.generateFile()), purpose: "one").openText(sealed) == nil)
        let rotated = try MasterKeys(fileContents: MasterKeys.generateFile() + former)
        #expect(Sealer(rotated, purpose: "one").openText(sealed) == [1, 2, 3])
    }

    @Test("Random nonces make two seals of the same differ; synthetic ones make them equal")
    func nonces() throws {
        let keys = try MasterKeys(fileContents: former)
        let random = Sealer(keys, purpose: "one")
        #expect(random.seal([1]) != random.seal([1]))
        let synthetic = Sealer(keys, purpose: "one", nonces: .synthetic)
        #expect(synthetic.seal([1]) == synthetic.seal([1]))
        #expect(synthetic.seal([1]) != synthetic.seal([2]))
    }

    @Test("No changed byte, cut or growth opens, and none traps")
    func mutations() throws {
        let sealer = Sealer(try MasterKeys(fileContents: former), purpose: "one")
        let sealed = sealer.seal(Array("a grant and its generation".utf8))
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(sealer.open(changed) == nil)
            }
            #expect(sealer.open(Array(sealed[..<index])) == nil)
        }
        #expect(sealer.open(sealed + [0]) == nil)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(sealer.open(noise) == nil)
            #expect(sealer.openText(String(decoding: noise, as: UTF8.self)) == nil)
        }
    }
}

@Suite("Access and refresh tokens") struct SealedTokensTests {
    let tokens: SealedTokens

    init() throws { tokens = SealedTokens(try MasterKeys(fileContents: MasterKeys.generateFile())) }

    @Test("An access token keeps all it says, and is no refresh token")
    func accessToken() {
        let token = AccessToken(
            grantID: 7, accountID: -1, issuedAt: 1_700_000_000, expiresAt: 1_700_000_600, clientID: "web1",
            scope: ["openid", "profile"], epoch: 3)
        let text = tokens.seal(token)
        #expect(tokens.openAccessToken(text) == token)
        #expect(tokens.openRefreshToken(text) == nil)
        #expect(tokens.seal(token) != text)
    }

    @Test("The same refresh token is the same text, so that a retry gets the very token it missed")
    func refreshToken() {
        let token = RefreshToken(grantID: 7, generation: 3)
        #expect(tokens.seal(token) == tokens.seal(token))
        #expect(tokens.openRefreshToken(tokens.seal(token)) == token)
        #expect(tokens.openAccessToken(tokens.seal(token)) == nil)
        #expect(tokens.seal(token).utf8.count >= 43)
    }
}

@Suite("Secrets that are found by their hash") struct LookupSecretsTests {
    @Test("The hash is found again from the text, also after a rotation, and from nothing else")
    func hashes() throws {
        let former = MasterKeys.generateFile()
        let secrets = LookupSecrets(try MasterKeys(fileContents: former), purpose: "cookie")
        let (text, hash) = secrets.make()
        #expect(text.utf8.count == 48)
        #expect(secrets.hash(text) == hash)
        let rotated = LookupSecrets(try MasterKeys(fileContents: MasterKeys.generateFile() + former), purpose: "cookie")
        #expect(rotated.hash(text) == hash)
        #expect(rotated.make().hash != hash)
        for wrong in ["", "A", String(text.dropLast()), text + "A", String(repeating: "A", count: 48)] {
            #expect(secrets.hash(wrong) == nil)
        }
    }

    @Test("From one seed comes one secret, from another another")
    func seeds() throws {
        let secrets = LookupSecrets(try MasterKeys(fileContents: MasterKeys.generateFile()), purpose: "code")
        #expect(secrets.make(from: [1]) == secrets.make(from: [1]))
        #expect(secrets.make(from: [1]).text != secrets.make(from: [2]).text)
    }
}
