import JOSE
import Testing

@testable import OpenID

@Suite("Client credentials (RFC 6749 §2.3)") struct ClientCredentialsTests {
    private func read(_ authorization: [String], _ body: String = "") throws -> ClientCredentials {
        try ClientCredentials(authorization: authorization, parameters: parameters(body))
    }

    private func basic(_ text: String) -> String { "Basic " + Base64.encode(Array(text.utf8)) }

    private func error(_ authorization: [String], _ body: String = "") -> ErrorCode? {
        let error = #expect(throws: OAuthError.self) { try read(authorization, body) }
        if let error { #expect(isDescription(error.description)) }
        return error?.code
    }

    @Test(
        "B001, §2.3.1: Basic is split at the first colon, then each half is form-decoded",
        arguments: [
            ("web1:p%2Bq%25r%2F1", "web1", "p+q%r/1"), ("web1:a+b", "web1", "a b"), ("web1:a:b:c", "web1", "a:b:c"),
            ("web1:%3A", "web1", ":"), ("w%65b1:x", "web1", "x"), ("web1:%C3%A9", "web1", "\u{E9}"),
            ("a.b~c_d-e:x", "a.b~c_d-e", "x"),
            ("web1:a%26b%3Dc", "web1", "a&b=c"), ("web1:%20", "web1", " "),
        ])
    func basicDecoding(credentials: String, clientID: String, secret: String) throws {
        #expect(try read([basic(credentials)]) == .basic(clientID: clientID, secret: secret))
    }

    @Test("B002: a secret that was not form-encoded is invalid_client, or another secret, never a guess")
    func rawSecret() throws {
        #expect(error([basic("web1:p+q%r/1")]) == .invalidClient)
        #expect(try read([basic("web1:p+q")]) == .basic(clientID: "web1", secret: "p q"))
    }

    @Test("B004, RFC 9110 §11.1: the scheme is read in any case", arguments: ["basic", "Basic", "BASIC", "bAsIc"])
    func scheme(name: String) throws {
        #expect(try read(["\(name) d2ViMTpzZWNyZXQ="]) == .basic(clientID: "web1", secret: "secret"))
        #expect(try read(["\(name)  d2ViMTpzZWNyZXQ="]) == .basic(clientID: "web1", secret: "secret"))
    }

    @Test(
        "B004: Basic that cannot be read, and other schemes, are invalid_client",
        arguments: [
            "Basic ????", "Basic d2ViMQ==", "Basic", "Basic ", "", " ", "Basic=", "Bearer d2ViMTpzZWNyZXQ=", "DPoP x",
            "Basicd2ViMTpzZWNyZXQ=",
            "Basic d2ViMTpzZWNyZXQ", "Basic d2ViMTpzZWNyZXQ==", "Basic d2ViMTpzZWNy ZXQ=", "Basic\td2ViMTpzZWNyZXQ=",
            "Digest username=web1", "Basic Og==", "Basic d2ViMTo=", "Basic OnNlY3JldA==",
        ])
    func unreadable(header: String) {
        #expect(error([header]) == .invalidClient)
    }

    @Test(
        "B014: NUL, bad UTF-8 and ids that no client can have are invalid_client",
        arguments: [
            "web1:a%00b", "we%00b1:x", "web1:%FF", "we b1:x", "we%2Fb1:x", "w\u{E9}b:x", "web1%:x", "<script>:x",
        ])
    func badBytes(credentials: String) {
        #expect(error([basic(credentials)]) == .invalidClient)
    }

    @Test("client_secret_post") func post() throws {
        #expect(
            try read([], "client_id=web2&client_secret=second-secret")
                == .post(clientID: "web2", secret: "second-secret"))
        #expect(try read([], "client_id=web2&client_secret=a%2Bb+c") == .post(clientID: "web2", secret: "a+b c"))
    }

    @Test("Public clients only name themselves") func none() throws {
        #expect(try read([], "grant_type=authorization_code&client_id=app1") == .none(clientID: "app1"))
    }

    @Test("B008, §3.2: an empty client_secret counts as missing, beside Basic too") func emptySecret() throws {
        #expect(
            try read([], "grant_type=authorization_code&client_id=app1&client_secret=&code=C1")
                == .none(clientID: "app1"))
        #expect(
            try read([basic("web1:x")], "client_secret=&client_id=") == .basic(clientID: "web1", secret: "x"))
    }

    @Test(
        "Nobody named is invalid_client",
        arguments: ["", "grant_type=authorization_code", "client_id=", "client_secret=x"])
    func nobody(body: String) {
        #expect(error([], body) == .invalidClient)
    }

    @Test(
        "A client_id that no registration takes is invalid_client, without a look-up",
        arguments: ["web%20one", "w%C3%A9b", String(repeating: "a", count: 129), "%3Cscript%3E", "web1%0A"])
    func impossible(clientID: String) {
        #expect(error([], "client_id=\(clientID)") == .invalidClient)
        #expect(error([], "client_id=\(clientID)&client_secret=x") == .invalidClient)
    }

    @Test(
        "§2.3: two methods at once are invalid_request, even when Basic cannot be read",
        arguments: ["Basic d2ViMTpzZWNyZXQ=", "Basic ????", "Bearer x"])
    func twoMethods(header: String) {
        #expect(error([header], "client_secret=secret") == .invalidRequest)
        #expect(error([header], "client_id=web1&client_secret=secret") == .invalidRequest)
        #expect(error([header], "client_assertion=x") == .invalidRequest)
    }

    @Test("A client assertion is a method that is not offered: invalid_client alone, invalid_request beside another")
    func assertion() {
        let type = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        #expect(error([], "client_id=web1&\(type)&client_assertion=a.b.c") == .invalidClient)
        #expect(error([], "client_id=web1&\(type)") == .invalidClient)
        #expect(error([], "client_id=web1&client_secret=x&\(type)&client_assertion=a.b.c") == .invalidRequest)
    }

    @Test("client_id beside Basic must be the same client") func sameClient() throws {
        #expect(try read([basic("web1:x")], "client_id=web1") == .basic(clientID: "web1", secret: "x"))
        #expect(error([basic("web1:x")], "client_id=web2") == .invalidRequest)
        #expect(error([basic("K1:x")], "client_id=%E2%84%AA1") == .invalidRequest)
    }

    @Test(
        "Repeated credentials and a repeated header are invalid_request",
        arguments: [
            "client_id=web1&client_id=web1", "client_id=web1&client_id=", "client_id=a&client_secret=x&client_secret=x",
            "client_id=a&client_secret=&client_secret=",
        ])
    func repeated(body: String) {
        #expect(error([], body) == .invalidRequest)
        #expect(error([basic("web1:x"), basic("web1:x")]) == .invalidRequest)
    }

    @Test("Fuzz: whatever is accepted names a possible client, and no error text is illegal")
    func fuzzing() {
        fuzz(["Basic d2ViMTpzZWNyZXQ=", "web1:p%2Bq%25r%2F1", "basic ????", "Basic d2ViMTo=", "a%3Ab:%C3%A9"]) {
            bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for header in [text, "Basic " + Base64.encode(bytes)] {
                do {
                    let credentials = try read([header])
                    guard case .basic(let clientID, let secret) = credentials else {
                        Issue.record("\(credentials)")
                        continue
                    }
                    if !ClientMetadata.isClientID(clientID) || secret.isEmpty || secret.utf8.contains(0) {
                        Issue.record("\(credentials)")
                    }
                } catch let error as OAuthError {
                    if error.code != .invalidClient || !isDescription(error.description) { Issue.record("\(error)") }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
    }
}
