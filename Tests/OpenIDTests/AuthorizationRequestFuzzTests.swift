import Testing

@testable import OpenID

@Suite("Authorization request: hostile input") struct AuthorizationRequestFuzzTests {
    @Test("Fuzz: a request is a legal error, or its values obey the rules and survive sealing") func fuzzing() throws {
        let clients = [try Fixture.web1(), try Fixture.conf1(), try Fixture.app1()]
        let inputs = [
            Parameters.encode(seleidRequest + [("prompt", "login consent"), ("max_age", "10"), ("acr_values", "1 2")]),
            Parameters.encode(oidcRequest + [("ui_locales", "de fi"), ("login_hint", "a"), ("display", "page")]),
            query(seleidRequest, [("client_id", "app1"), ("redirect_uri", "http://127.0.0.1:51004/cb")]),
            Parameters.encode(oidcRequest + [("claims", #"{"id_token":{"sub":{"value":"a"},"email":null}}"#)]),
        ]
        fuzz(inputs, rounds: 10_000) { bytes in
            guard let parameters = try? Parameters(formEncoded: bytes) else { return }
            for client in clients {
                do throws(OAuthError) {
                    let target = try AuthorizationRequest.target(of: parameters, for: client)
                    let request = try AuthorizationRequest.validate(
                        parameters, for: client, at: target, switches: SwitchStates())
                    let holds =
                        client.accepts(redirectURI: request.redirectURI) && request.scope.contains("openid")
                        && Set(request.scope + request.claims.scope).isSubset(of: client.scope)
                        && request.state == target.state
                        && (request.state != nil || !client.requiresState)
                        && (request.nonce != nil || !client.requiresNonce)
                        && (request.codeChallenge.map(PKCE.isChallenge) ?? !client.requiresPKCE)
                        && (!request.prompt.contains(.none) || request.prompt.count == 1) && (request.maxAge ?? 0) >= 0
                        && AuthorizationRequest(serialized: request.serialized()) == request
                    if !holds { Issue.record("\(request)") }
                    let url = target.url(answering: [("code", "C1")], issuer: "https://id.example")
                    let answer = url.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1).last.map(Array.init) ?? []
                    if (try? Parameters(formEncoded: answer))?["state"] != request.state { Issue.record("\(url)") }
                } catch {
                    if !isDescription(error.description) { Issue.record("\(error)") }
                }
            }
        }
    }
}
