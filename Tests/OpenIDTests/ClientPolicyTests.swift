import Testing

@testable import OpenID

@Suite("Policies that a profile presets (design, section 6)") struct ClientPolicyTests {
    @Test(
        "Presets of the profiles, for web apps with and without a secret and for native ones",
        arguments: [
            ("seleid", "web", "client_secret_basic", true, true, true), ("seleid", "web", "none", true, true, true),
            ("seleid", "native", "none", true, true, true), ("oidc", "web", "client_secret_basic", false, false, false),
            ("oidc", "web", "none", false, false, true), ("oidc", "native", "none", false, false, true),
            // RFC 8252 §8.5: a secret in a native app does not make it confidential.
            ("oidc", "native", "client_secret_post", false, false, true),
        ])
    func presets(profile: String, type: String, method: String, state: Bool, nonce: Bool, pkce: Bool) throws {
        let client = try client(
            """
            {"client_id": "x", "client_name": "X", "redirect_uris": ["https://rp.example/cb"], "profile": "\(profile)",
             "application_type": "\(type)", "token_endpoint_auth_method": "\(method)"}
            """)
        #expect(client.requiresState == state)
        #expect(client.requiresNonce == nonce)
        #expect(client.requiresPKCE == pkce)
    }

    @Test("Each policy can be set on its own, both ways", arguments: ["seleid", "oidc"])
    func overrides(profile: String) throws {
        for (value, expected) in [("required", true), ("optional", false)] {
            let client = try client(
                """
                {"client_id": "x", "client_name": "X", "redirect_uris": ["https://rp.example/cb"], "profile": "\(profile)",
                 "state_policy": "\(value)", "nonce_policy": "\(value)", "pkce_policy": "\(value)"}
                """)
            #expect(client.requiresState == expected)
            #expect(client.requiresNonce == expected)
            #expect(client.requiresPKCE == expected)
        }
    }

    @Test(
        "PKCE cannot be made optional for public clients, nor for native ones with a secret",
        arguments: [("web", "none"), ("native", "none"), ("native", "client_secret_basic")])
    func pkceStays(type: String, method: String) throws {
        let found = try problems(
            """
            {"client_id": "x", "client_name": "X", "redirect_uris": ["https://rp.example/cb"], "pkce_policy": "optional",
             "application_type": "\(type)", "token_endpoint_auth_method": "\(method)"}
            """)
        #expect(found.count == 1 && found[0].hasPrefix("pkce_policy: must be required"))
    }
}
