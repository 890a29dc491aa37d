import Testing

@testable import OpenID

/// Changes to a good request: each named parameter gets the value, or goes away with nil.
func query(_ base: [(String, String)], _ changes: [(String, String?)]) -> String {
    var all = base
    for (name, value) in changes {
        all.removeAll { $0.0 == name }
        if let value { all.append((name, value)) }
    }
    return Parameters.encode(all)
}

let seleidRequest = [
    ("client_id", "web1"), ("redirect_uri", "https://rp.example/cb"), ("response_type", "code"), ("scope", "openid"),
    ("state", "s-1"),
    ("nonce", "0123456789abcdef"), ("code_challenge", Fixture.challenge), ("code_challenge_method", "S256"),
]

let oidcRequest = [
    ("client_id", "conf1"), ("redirect_uri", "https://rp.example/cb"), ("response_type", "code"), ("scope", "openid"),
]

func validate(_ query: String, _ client: ClientMetadata) throws -> AuthorizationRequest {
    let parameters = try parameters(query)
    let target = try AuthorizationRequest.target(of: parameters, for: client)
    return try AuthorizationRequest.validate(parameters, for: client, at: target, switches: SwitchStates())
}

func seleid(_ changes: (String, String?)...) throws -> AuthorizationRequest {
    try validate(query(seleidRequest, changes), Fixture.web1())
}

func oidc(_ changes: (String, String?)...) throws -> AuthorizationRequest {
    try validate(query(oidcRequest, changes), Fixture.conf1())
}

/// The error for the redirect URI: the page's errors are another suite.
func redirected(_ query: String, _ client: ClientMetadata) throws -> OAuthError {
    let parameters = try parameters(query)
    let target = try AuthorizationRequest.target(of: parameters, for: client)
    let error = try #require(
        #expect(throws: OAuthError.self) {
            try AuthorizationRequest.validate(parameters, for: client, at: target, switches: SwitchStates())
        })
    #expect(isDescription(error.description))
    return error
}

func seleidError(_ changes: (String, String?)...) throws -> OAuthError {
    try redirected(query(seleidRequest, changes), Fixture.web1())
}

func oidcError(_ changes: (String, String?)...) throws -> OAuthError {
    try redirected(query(oidcRequest, changes), Fixture.conf1())
}
