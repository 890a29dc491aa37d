import JOSE
import JSON
import OpenID

/// A form that is read keeps what was put into it, and holds no NUL.
func fuzzForm(_ input: [UInt8]) {
    if let parameters = try? Parameters(formEncoded: input) {
        for name in ["client_id", "redirect_uri", "state", "a"] {
            guard let value = parameters[name] else { continue }
            rule(!value.isEmpty && !value.utf8.contains(0), "an empty value or NUL")
        }
        for name in parameters.repeated { rule(!name.isEmpty && !name.utf8.contains(0), "an empty name or NUL") }
    }
    let text = String(decoding: input.filter { $0 != 0 }, as: UTF8.self)
    guard !text.isEmpty else { return }
    let encoded = Parameters.encode([("a", text), (text, "b")])
    for byte in encoded.utf8 { rule(byte > 0x20 && byte < 0x7F, "a form with other than printable ASCII") }
    guard let again = try? Parameters(formEncoded: encoded.utf8) else {
        rule(false, "our own form is not read")
        return
    }
    rule(again["a"].map { Array($0.utf8) } == Array(text.utf8), "a value is changed by writing and reading")
    if text != "a" { rule(again[text] == "b", "a name is changed by writing and reading") }
}

let formSeeds = [
    "", "a=b", "a=b&a=c", "grant_type=authorization_code&code=abc&redirect_uri=https%3A%2F%2Frp.example%2Fcb",
    "a=%C3%A9+x&b=",
    "=x&&a", "a=%00", "a=%FF", "a=%", "a=%4", "a=b=c", "client_id=web1&state=%F0%9F%98%80", "%61=1&a=2",
].map(seed)

/// Credentials that are read name a client that may exist; what was encoded as RFC 6749 §2.3.1 says is read back.
func fuzzBasicCredentials(_ input: [UInt8]) {
    guard let empty = try? Parameters(formEncoded: []) else { return }
    let text = String(decoding: input, as: UTF8.self)
    let headers = [text, "Basic \(text)", "Basic \(Base64.encode(input))"]
    for header in headers {
        guard let credentials = try? ClientCredentials(authorization: [header], parameters: empty) else { continue }
        guard case .basic(let clientID, let secret) = credentials else {
            rule(false, "a header is no header")
            return
        }
        rule(ClientMetadata.isClientID(clientID), "a client id that no client has")
        rule(!secret.utf8.contains(0), "NUL in a secret")
    }
    guard !input.isEmpty, !input.contains(0) else { return }
    let secret = Parameters.encode([("", text)]).dropFirst()
    let header = "Basic \(Base64.encode(Array("web1:\(secret)".utf8)))"
    let read = try? ClientCredentials(authorization: [header], parameters: empty)
    guard case .basic("web1", let again) = read else {
        rule(false, "well-encoded credentials are refused")
        return
    }
    rule(Array(again.utf8) == Array(text.utf8), "a secret is changed by writing and reading")

    if let parameters = try? Parameters(formEncoded: input) {
        guard let credentials = try? ClientCredentials(authorization: [], parameters: parameters) else { return }
        switch credentials {
        case .post(let clientID, let secret):
            rule(ClientMetadata.isClientID(clientID) && !secret.isEmpty, "a client id that no client has")
        case .none(let clientID): rule(ClientMetadata.isClientID(clientID), "a client id that no client has")
        case .basic: rule(false, "no header is a header")
        }
    }
}

let basicCredentialsSeeds = [
    "web1:p%2Bq%25r%2F1", "Basic d2ViMTpwJTJCcQ==", "basic  d2ViMTpw", "web1", "web1:", ":x", "web1:a:b", "we b1:x",
    "web1:%00",
    "web1:%", "Bearer x", "Basic ????", "client_id=web1&client_secret=x", "client_id=web1", "web1:é",
].map(seed)

/// The first line is the URI that is asked for, the others are registered. What is accepted is registered, ports of
/// loopback addresses of native apps apart, and is safe in a Location field.
func fuzzRedirectURI(_ input: [UInt8]) {
    let lines = String(decoding: input, as: UTF8.self).split(
        separator: "\n", maxSplits: 4, omittingEmptySubsequences: false)
    guard let asked = lines.first.map(String.init) else { return }
    let registered = lines.dropFirst().map(String.init)
    for type in ["native", "web"] {
        let json = JSON.object([
            JSON.Member("client_id", .string("app1")), JSON.Member("client_name", .string("App")),
            JSON.Member("application_type", .string(type)), JSON.Member("token_endpoint_auth_method", .string("none")),
            JSON.Member("redirect_uris", .array(registered.map(JSON.string))),
        ])
        guard case .success(let client) = ClientMetadata.validate(json) else { continue }
        for uri in registered { rule(client.accepts(redirectURI: uri), "a registered URI is refused") }
        guard client.accepts(redirectURI: asked) else { continue }
        if !registered.contains(where: { $0.utf8.elementsEqual(asked.utf8) }) {
            rule(type == "native", "a web client's URI differs from all registered ones")
            let bare = withoutLoopbackPort(asked)
            rule(bare != nil && registered.contains { withoutLoopbackPort($0) == bare }, "more than a port differs")
        }
        checkAnswer(to: asked)
    }
}

/// nil unless it is on a loopback address; otherwise the bytes without the port.
private func withoutLoopbackPort(_ uri: String) -> [UInt8]? {
    for prefix in ["http://127.0.0.1", "http://[::1]"] where uri.utf8.starts(with: prefix.utf8) {
        var rest = Array(uri.utf8.dropFirst(prefix.utf8.count))
        if rest.first == UInt8(ascii: ":") { rest = Array(rest.dropFirst().drop { (0x30...0x39).contains($0) }) }
        guard rest.isEmpty || rest[0] == UInt8(ascii: "/") || rest[0] == UInt8(ascii: "?") else { return nil }
        return Array(prefix.utf8) + rest
    }
    return nil
}

private func checkAnswer(to redirectURI: String) {
    let target = AuthorizationTarget(redirectURI: redirectURI, state: "a &=#\r\né")
    let location = target.url(answering: [("code", "x y")], issuer: "https://id.example")
    for byte in location.utf8 { rule(byte > 0x20 && byte < 0x7F, "a Location with other than printable ASCII") }
    rule(location.utf8.starts(with: redirectURI.utf8), "a redirect URI is rewritten")
    rule(!location.utf8.contains(UInt8(ascii: "#")), "a fragment in a Location")
    let query = location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    guard let answer = try? Parameters(formEncoded: query) else { return }  // the registered query may be no form
    rule(answer["code"] == "x y" && answer["state"] == "a &=#\r\né", "an answer is not read as given")
    rule(answer["iss"] == "https://id.example" && !answer.repeated.contains("code"), "an answer is ambiguous")
}

let redirectURISeeds = [
    "https://rp.example/cb\nhttps://rp.example/cb", "http://127.0.0.1:9/cb\nhttp://127.0.0.1/cb",
    "http://[::1]:80\nhttp://[::1]",
    "com.example.app:/seleid\ncom.example.app:/seleid", "https://rp.example/cb?x=1\nhttps://rp.example/cb?x=1",
    "http://127.0.0.1:1@evil.example/cb\nhttp://127.0.0.1/cb", "http://127.0.0.1.evil.example/\nhttp://127.0.0.1/",
    "https://RP.example/cb\nhttps://rp.example/cb", "http://127.0.0.1:065536/\nhttp://127.0.0.1/",
    "http://localhost:1/\nhttp://localhost/",
    "https://rp.example/a/%2e%2e/b\nhttps://rp.example/a/%2e%2e/b", "https://rp.example/?\nhttps://rp.example/?",
].map(seed)

let redirectURIWords = [
    "http://127.0.0.1", "http://[::1]", "https://rp.example", "http://localhost", ":0", ":65535", ":65536", "@", "/",
    "//", "?", "#",
    "%2e%2e", "..", "*", "[", "]", "com.example.app:/", "javascript:", "\\", "\n", "é", "&code=x",
]
