import OpenID
import RequestAuthentication

/// A rule that knows where it is written.
protocol Rule: RawRepresentable<String> {
    var section: String { get }
}
extension AuthorizationRequest.Rule: Rule {}
extension ClientCredentials.Rule: Rule {}

/// The checks of a request while they are made.
struct Checklist {
    private(set) var checks: [Check] = []
    private(set) var notes: [String] = []
    /// Where the errors of the rules that come next go.
    var place: Check.Place

    init(place: Check.Place) { self.place = place }

    var hasFailed: Bool {
        checks.contains { if case .failed = $0.outcome { true } else { false } }
    }

    /// Asks a rule of the server's own.
    /// - Parameters:
    ///   - remark: what is worth knowing when it passes.
    ///   - advice: what to do when it fails.
    mutating func ask(
        _ rule: String, _ section: String, registered: [String] = [], sent: String? = nil, remark: String? = nil,
        advice: String, _ question: () throws(OAuthError) -> Void
    ) {
        do {
            try question()
            add(rule, section, .passed, registered, sent, finding: remark)
        } catch {
            add(
                rule, section, .failed(refusal(error)), registered, sent, finding: "\(error.description)",
                advice: advice)
        }
    }

    /// Says how it stands with a fact.
    /// - Parameters:
    ///   - fault: what is wrong; nil when nothing is.
    ///   - error: what the server says of the fault.
    mutating func state(
        _ rule: String, _ section: String, registered: [String] = [], sent: String? = nil, remark: String? = nil,
        fault: Fault?, error: OAuthError
    ) {
        if let fault {
            add(
                rule, section, .failed(refusal(error)), registered, sent, finding: fault.finding, advice: fault.advice)
        } else {
            add(rule, section, .passed, registered, sent, finding: remark)
        }
    }

    struct Fault {
        let finding: String
        let advice: String

        static let unknownClient = Fault(
            finding: "no client with this client_id is registered here",
            advice: "Compare it with the registration letter for letter: capitals count. Is it another server's?")
    }

    /// What the HTTP reader or router refuses.
    mutating func refuse(
        _ rule: String, _ section: String, status: Int, registered: [String], sent: String?, _ fault: Fault
    ) {
        let refusal = Check.Refusal(place: .http, status: status, error: nil)
        add(rule, section, .failed(refusal), registered, sent, finding: fault.finding, advice: fault.advice)
    }

    mutating func skip(_ rule: String, _ section: String) { add(rule, section, .skipped, [], nil) }

    mutating func skip(_ rules: some Sequence<some Rule>) {
        for rule in rules { skip(rule.rawValue, rule.section) }
    }

    mutating func leaveOpen(_ rule: String, _ section: String, finding: String) {
        add(rule, section, .notKnown, [], nil, finding: finding)
    }

    mutating func note(_ text: String) { notes.append(text) }

    private mutating func add(
        _ rule: String, _ section: String, _ outcome: Check.Outcome, _ registered: [String], _ sent: String?,
        finding: String? = nil, advice: String? = nil
    ) {
        checks.append(
            Check(
                rule: rule, section: section, outcome: outcome, registered: registered, sent: sent, finding: finding,
                advice: advice))
    }

    private func refusal(_ error: OAuthError) -> Check.Refusal {
        let status: Int? =
            switch place {
            case .http, .page: 400
            case .redirectURI: nil
            case .response: error.status
            }
        return Check.Refusal(place: place, status: status, error: error)
    }
}
