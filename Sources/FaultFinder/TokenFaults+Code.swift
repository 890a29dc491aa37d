import OpenID
import Storage
import Telemetry

/// What `redeem_code` in the database asks of a code, in its order. To whoever sends it, all is one invalid_grant.
enum CodeRule: String, CaseIterable, Rule {
    case code
    case client = "code_client"
    case unspent = "code_unspent"
    case lifetime = "code_lifetime"
    case redirectURI = "redirect_uri"
    case verifier = "code_verifier"
    case account, session, consent

    var section: String {
        switch self {
        case .code, .client: "RFC 6749 §4.1.3"
        case .unspent, .lifetime: "RFC 6749 §4.1.2"
        case .redirectURI: "RFC 6749 §4.1.3"
        case .verifier: "RFC 7636 §4.6"
        case .account, .session, .consent: "RFC 6749 §5.2"
        }
    }
}

extension TokenFaults {
    mutating func checkCode(_ parameters: Parameters, _ facts: Facts) {
        guard parameters["code"] != nil else { return list.skip(CodeRule.allCases) }
        state(
            .code, registered: facts.code.map { ["given \(Timestamp.text(ofUnixSeconds: $0.createdAt))"] } ?? [],
            sent: Shown.value("code", of: parameters),
            fault: facts.code == nil
                ? .init(
                    finding: "this server knows no such code (a code is forgotten a day after its end)",
                    advice: "Send the code as it came, decoded once; is it another server's, or cut off?") : nil)
        guard let code = facts.code else { return list.skip(CodeRule.allCases.dropFirst()) }
        checkOwner(code)
        checkUse(code)
        checkRedirectURI(code, parameters["redirect_uri"])
        checkVerifier(code, parameters["code_verifier"])
        checkPerson(code, facts.client?.metadata)
    }

    private mutating func state(
        _ rule: CodeRule, registered: [String] = [], sent: String? = nil, remark: String? = nil,
        fault: Checklist.Fault?
    ) {
        list.state(
            rule.rawValue, rule.section, registered: registered, sent: sent, remark: remark, fault: fault,
            error: TokenRequest.badCode)
    }

    private mutating func checkOwner(_ code: IssuedCode) {
        guard let sent = credentials?.clientID else { return list.skip([CodeRule.client]) }
        state(
            .client, registered: [code.clientID], sent: Shown.clientID(sent),
            fault: sent.isIdentical(to: code.clientID)
                ? nil
                : .init(
                    finding: "the code was given to another client",
                    advice: "Redeem it as the client that asked for it."))
    }

    private mutating func checkUse(_ code: IssuedCode) {
        let spent = code.spentAt.map { spentAt in
            let gave =
                code.grantID.map { grant in
                    "and gave grant \(grant)"
                        + (code.grantEndReason.map { ", which has ended: \($0)" } ?? ", which this use would end")
                } ?? "and gave nothing: the request was refused, or consent or client had ended"
            return Checklist.Fault(
                finding: "it was used \(Timestamp.text(ofUnixSeconds: spentAt)) \(gave)",
                advice: "Use each code once, right or wrong; to try again, send the person through /authorize again.")
        }
        state(.unspent, registered: [code.spentAt == nil ? "not used yet" : "used"], fault: spent)
        let expiry = Timestamp.text(ofUnixSeconds: code.expiresAt)
        state(
            .lifetime, registered: ["until \(expiry)"],
            fault: code.isExpired
                ? .init(finding: "it has expired", advice: "Redeem a code at once: it lives a minute at most.") : nil)
    }

    private mutating func checkRedirectURI(_ code: IssuedCode, _ sent: String?) {
        let near = sent.flatMap { RedirectURIMismatch.explain($0, registered: [code.redirectURI]) }
        let finding =
            sent == nil
            ? "it is missing"
            : "it is not the one of the authorization request" + (near.map { "; it differs in \($0.kind)" } ?? "")
        state(
            .redirectURI, registered: [code.redirectURI], sent: sent.map(Shown.redirectURI),
            fault: sent?.isIdentical(to: code.redirectURI) == true
                ? nil
                : .init(finding: finding, advice: "Send the same redirect_uri as in the authorization request."))
    }

    private mutating func checkVerifier(_ code: IssuedCode, _ sent: String?) {
        // As the endpoint does it: an ill-formed verifier is a wrong one.
        let challenge = sent.map { PKCE.challenge(for: $0) ?? "" }
        let finding: String? =
            switch (code.codeChallenge, challenge) {
            case (let stored, let computed) where stored == computed: nil
            case (nil, _): "the authorization request had no code_challenge, so there is nothing to prove"
            case (_, nil): "it is missing"
            case (_, ""): "it is not 43 to 128 of the characters A-Z a-z 0-9 - . _ ~"
            case (let stored, _) where stored == sent: "the challenge itself was sent in place of the verifier"
            default: "its SHA-256 is not the code_challenge of the authorization request"
            }
        state(
            .verifier, registered: [code.codeChallenge == nil ? "no code_challenge" : "a code_challenge, S256"],
            sent: sent.map(Shown.shape),
            fault: finding.map {
                .init(
                    finding: $0,
                    advice: "Keep the code_verifier of each authorization request until its code is redeemed.")
            })
    }

    private mutating func checkPerson(_ code: IssuedCode, _ client: ClientMetadata?) {
        let again = "The person has to sign in again."
        let isActive = code.accountStatus == .active
        state(
            .account, registered: [code.accountStatus?.rawValue ?? "gone"],
            fault: isActive ? nil : .init(finding: "the person's account is not active", advice: again))
        let ended = "ended" + (code.sessionEndReason.map { ": \($0)" } ?? "")
        state(
            .session, registered: [code.isSessionLive ? "not ended" : ended],
            fault: code.isSessionLive
                ? nil : .init(finding: "the sign-in that the code was given in has ended", advice: again))
        guard let client else { return list.skip([CodeRule.consent]) }
        let isFirstParty = client.firstParty
        state(
            .consent, registered: [isFirstParty ? "not needed" : code.hasConsent ? "given" : "none"],
            fault: isFirstParty || code.hasConsent
                ? nil : .init(finding: "the person has withdrawn consent meanwhile", advice: again))
    }
}
