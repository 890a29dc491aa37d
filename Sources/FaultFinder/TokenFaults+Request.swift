import OpenID
import RequestAuthentication

extension TokenFaults {
    /// What is asked, before anything about it is looked up.
    mutating func checkRequest(_ parameters: Parameters, _ facts: Facts) {
        list.ask(
            "repeated_parameters", "RFC 6749 §3.2", registered: ["each at most once"],
            sent: parameters.repeated.isEmpty
                ? nil : parameters.repeated.sorted().map(Shown.name).joined(separator: ", "),
            advice: "Send each parameter once."
        ) { () throws(OAuthError) in try TokenRequest.refuseRepeats(parameters) }
        list.ask(
            "grant_type", "RFC 6749 §5.2", registered: ["authorization_code or refresh_token"],
            sent: Shown.value("grant_type", of: parameters),
            advice: "Send grant_type=authorization_code with a code, or refresh_token with a refresh token."
        ) { () throws(OAuthError) in _ = try TokenRequest.grantType(of: parameters) }
        checkGrantTypes(facts)
        checkParameters(parameters)
        if let client = facts.client?.metadata {
            list.ask(
                Switch.signIn.rawValue, "RFC 6749 §5.2",
                registered: Switch.signIn.registered(for: client, switches: facts.switches),
                advice: AuthorizationRequest.Rule.signIn.advice
            ) { () throws(OAuthError) in
                guard facts.switches.allow(.signIn, for: client) else { throw Switch.signIn.refusal }
            }
        } else {
            list.skip(Switch.signIn.rawValue, "RFC 6749 §5.2")
        }
        list.state(
            "signing_key", "RFC 6749 §5.2", registered: [facts.canSign ? "there is one" : "there is none"],
            fault: facts.canSign
                ? nil : .init(finding: "no key signs at present", advice: "An admin has to look at seleid key list."),
            error: .unavailable)
    }

    private mutating func checkGrantTypes(_ facts: Facts) {
        guard let client = facts.client?.metadata, let grantType else {
            return list.skip("grant_types", "RFC 7591 §2")
        }
        list.ask(
            "grant_types", "RFC 7591 §2", registered: client.grantTypes.map(\.rawValue), sent: grantType.rawValue,
            advice: "Add \(grantType.rawValue) to the client's grant_types."
        ) { () throws(OAuthError) in try TokenRequest.allow(grantType, to: client) }
    }

    /// That what the grant type needs is there; what it is worth comes later.
    private mutating func checkParameters(_ parameters: Parameters) {
        switch grantType {
        case nil: break
        case .authorizationCode:
            list.ask(
                "code_parameter", "RFC 6749 §4.1.3", sent: Shown.value("code", of: parameters),
                advice: "Send the code that came to the redirect URI."
            ) { () throws(OAuthError) in _ = try TokenRequest.code(of: parameters) }
        case .refreshToken:
            list.ask(
                "refresh_token_parameter", "RFC 6749 §6", sent: Shown.value("refresh_token", of: parameters),
                advice: "Send the newest refresh token."
            ) { () throws(OAuthError) in _ = try TokenRequest.refreshToken(of: parameters) }
            list.ask(
                "scope", "RFC 6749 §3.3", sent: Shown.value("scope", of: parameters),
                advice: "Leave scope out, or send names with blanks between."
            ) { () throws(OAuthError) in _ = try TokenRequest.scope(of: parameters) }
        }
    }
}
