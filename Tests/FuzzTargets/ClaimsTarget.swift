import JSON
import OpenID

/// What is understood of the claims parameter stays within what the client may have, and survives sealing.
func fuzzClaimsParameter(_ input: [UInt8]) {
    let text = String(decoding: input.filter { $0 != 0 }, as: UTF8.self)
    guard !text.isEmpty, let client = claimsClient else { return }
    let query = Parameters.encode([
        ("client_id", "web1"), ("redirect_uri", "https://rp.example/cb"), ("response_type", "code"),
        ("scope", "openid"), ("claims", text),
    ])
    guard let parameters = try? Parameters(formEncoded: query.utf8),
        let target = try? AuthorizationRequest.target(of: parameters, for: client)
    else {
        rule(false, "a good request is refused")
        return
    }
    do throws(OAuthError) {
        let request = try AuthorizationRequest.validate(
            parameters, for: client, at: target, switches: SwitchStates())
        let json = try? JSON(parsing: text.utf8)
        rule(json?.objectValue != nil && text.utf8.count <= ClaimsRequest.limit, "what is no JSON object is taken")
        rule(request.scope == ["openid"], "claims change the scope")
        rule(Set(request.claims.scope).isSubset(of: client.scope), "a claim that the client may not have")
        rule(request.claims.subject != "", "an empty subject")
        for claims in [request.claims.userInfo, request.claims.idToken] {
            rule(Set(claims).count == claims.count, "a claim counts twice")
        }
        rule(AuthorizationRequest(serialized: request.serialized()) == request, "claims are changed by sealing")
    } catch {
        let codes: [ErrorCode] = [.invalidRequest, .loginRequired, .unmetAuthenticationRequirements]
        rule(codes.contains(error.code), "another error than of claims")
    }
}

private let claimsClient: ClientMetadata? = try? ClientMetadata.validate(
    .object([
        .init("client_id", .string("web1")), .init("client_name", .string("Web")), .init("sign_in", .bool(true)),
        .init("profile", .string("oidc")), .init("scope", .string("openid profile email")),
        .init("redirect_uris", .array([.string("https://rp.example/cb")])),
    ])
).get()

let claimsParameterSeeds = [
    #"{"userinfo":{"name":null,"email":{"essential":true}},"id_token":{"birthdate":{"value":"x"}}}"#,
    #"{"id_token":{"sub":{"value":"alice"}},"userinfo":{"sub":{"values":["alice"]}}}"#,
    #"{"id_token":{"sub":{"value":"alice"}},"userinfo":{"sub":{"value":"bob"}}}"#,
    #"{"userinfo":null,"id_token":{"phone_number":null,"acr":{"essential":true,"values":["1"]}}}"#, "{}", "[]",
    #"{"userinfo":{"name":1,"address":[]}}"#,
].map(seed)

let claimsParameterWords =
    [
        "\"userinfo\":{", "\"id_token\":{", "\"sub\":{\"value\":\"x\"}", "\"values\":[\"x\"]", "\"essential\":true",
        "null",
    ]
    + StandardClaim.allCases.map { "\"\($0.rawValue)\":null" } + ["{", "}", ",", ":", "\"", "\\u0000"]
