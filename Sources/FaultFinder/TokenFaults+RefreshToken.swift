import OpenID
import Storage
import Telemetry

/// What a text that was sent as a refresh token is.
enum SentRefreshToken: Sendable {
    /// No refresh token that this server has sealed under a master key that is here.
    case unknown
    /// An access token of ours.
    case accessToken
    /// One of ours; the standing is nil when its grant is not there any more.
    case known(generation: Int64, RefreshStanding?)
}

/// What the token endpoint and the database ask of a refresh token, in their order.
enum RefreshRule: String, CaseIterable, Rule {
    case token = "refresh_token"
    case client = "refresh_token_client"
    case scope = "granted_scope"
    case grant
    case lifetime = "grant_lifetime"
    case generation

    var section: String {
        switch self {
        case .token, .client, .scope: "RFC 6749 §6"
        case .grant, .lifetime: "RFC 6749 §5.2"
        case .generation: "RFC 9700 §4.14.2"
        }
    }
}

extension TokenFaults {
    mutating func checkRefreshToken(_ parameters: Parameters, _ facts: Facts) {
        guard parameters["refresh_token"] != nil else { return list.skip(RefreshRule.allCases) }
        let fault: Checklist.Fault? =
            switch facts.refreshToken {
            case .unknown:
                .init(
                    finding: "this server has given no such refresh token",
                    advice: "Send it as it came, whole; is it another server's?")
            case .accessToken:
                .init(finding: "this is an access token", advice: "Send the refresh_token of the same answer.")
            case .known(_, nil):
                .init(
                    finding: "its sign-in is not there any more (one that has ended is kept for a week)",
                    advice: "The person has to sign in again.")
            case .known: nil
            }
        state(.token, sent: Shown.value("refresh_token", of: parameters), fault: fault)
        guard case .known(let generation, let standing?) = facts.refreshToken else {
            return list.skip(RefreshRule.allCases.dropFirst())
        }
        checkOwner(standing)
        checkScope(standing, parameters)
        checkGrant(standing)
        checkGeneration(generation, standing, facts.client?.metadata)
    }

    private mutating func state(
        _ rule: RefreshRule, registered: [String] = [], sent: String? = nil, remark: String? = nil,
        fault: Checklist.Fault?, error: OAuthError = TokenRequest.badRefreshToken
    ) {
        list.state(
            rule.rawValue, rule.section, registered: registered, sent: sent, remark: remark, fault: fault, error: error)
    }

    private mutating func checkOwner(_ standing: RefreshStanding) {
        guard let sent = credentials?.clientID else { return list.skip([RefreshRule.client]) }
        state(
            .client, registered: [standing.clientID], sent: Shown.clientID(sent),
            fault: sent.isIdentical(to: standing.clientID)
                ? nil
                : .init(
                    finding: "the refresh token was given to another client",
                    advice: "Refresh as the client that it was given to."))
    }

    private mutating func checkScope(_ standing: RefreshStanding, _ parameters: Parameters) {
        guard let asked = try? TokenRequest.scope(of: parameters) else {
            return state(.scope, registered: [standing.scope.joined(separator: " ")], fault: nil)
        }
        let beyond = asked.filter { !standing.scope.contains($0) }
        state(
            .scope, registered: [standing.scope.joined(separator: " ")], sent: Shown.value("scope", of: parameters),
            fault: beyond.isEmpty
                ? nil
                : .init(
                    finding: "not granted: \(Shown.cut(beyond.joined(separator: " ")))",
                    advice: "Leave scope out, or ask for no more than was granted."), error: TokenRequest.widerScope)
    }

    private mutating func checkGrant(_ standing: RefreshStanding) {
        let again = "The person has to sign in again."
        let ended = standing.endedAt.map { endedAt in
            Checklist.Fault(
                finding: "the sign-in ended \(Timestamp.text(ofUnixSeconds: endedAt)): "
                    + (standing.endReason ?? "no reason is known"), advice: again)
        }
        state(.grant, registered: [ended == nil ? "not ended" : "ended"], fault: ended)
        let idle = Timestamp.text(ofUnixSeconds: standing.idleExpiresAt)
        let end = Timestamp.text(ofUnixSeconds: standing.expiresAt)
        var fault: Checklist.Fault?
        if standing.isExpired {
            fault = .init(finding: "the sign-in is as old as it may get", advice: again)
        } else if standing.isIdle {
            fault = .init(finding: "it was not refreshed in time", advice: again)
        }
        state(.lifetime, registered: ["unused until \(idle)", "in all until \(end)"], fault: fault)
    }

    private mutating func checkGeneration(
        _ generation: Int64, _ standing: RefreshStanding, _ client: ClientMetadata?
    ) {
        let age = standing.generation - generation
        let window = client?.refreshRetrySeconds ?? 0
        let newest = "generation \(standing.generation) is the newest"
        let since = standing.rotatedAt.map { ", since \(Timestamp.text(ofUnixSeconds: $0))" } ?? ""
        let fault: Checklist.Fault? =
            if age < 0 {
                .init(
                    finding: "it is newer than this database knows",
                    advice: "Was the database put back to an older state? The person has to sign in again.")
            } else if age > 0, !standing.isRetry {
                .init(
                    finding: "it is \(age) generation\(age == 1 ? "" : "s") older than the newest, and its time to be "
                        + "sent again (\(window) s) has passed: a use would end the sign-in",
                    advice: "Keep the refresh token of each answer in place of the one before.")
            } else {
                nil
            }
        state(
            .generation, registered: [newest + since], sent: "generation \(generation)",
            remark: age == 0
                ? nil : "The newest one's predecessor, inside the \(window) s in which it gets the same answer.",
            fault: fault)
    }
}
