import JSON

extension Explanation {
    /// As programs read it.
    public var json: JSON {
        .object([
            .init("subject", .string(subject.rawValue)), .init("verdict", verdict),
            .init("checks", .array(checks.map(\.json))), .init("notes", .array(notes.map { .string($0) })),
        ])
    }

    private var verdict: JSON {
        guard let (check, refusal) = refused else {
            return .object([
                .init("outcome", .string("accepted")), .init("next", .string(next.rawValue)),
                .init("summary", .string(summary)),
            ])
        }
        var members: [JSON.Member] = [
            .init("outcome", .string("refused")), .init("rule", .string(check.rule)),
            .init("place", .string(refusal.place.rawValue)),
        ]
        if let status = refusal.status { members.append(.init("status", .integer(Int64(status)))) }
        if let error = refusal.error {
            members.append(.init("error", .string(error.code.rawValue)))
            members.append(.init("error_description", .string(error.description)))
        }
        members.append(.init("summary", .string(summary)))
        return .object(members)
    }

    /// The verdict as a sentence.
    public var summary: String {
        guard let (check, refusal) = refused else {
            return switch next {
            case .signInPage: "It would be accepted: the person comes to the sign-in page, or on from there."
            case .answerWithoutPage: "It would be accepted: the app gets an answer at its redirect URI without a page."
            case .tokens: "It would be accepted: the app would get tokens."
            }
        }
        let code = refusal.error?.code.rawValue ?? ""
        let status = refusal.status.map(String.init) ?? ""
        return switch refusal.place {
        case .http: "Refused by the rule \(check.rule): the server answers HTTP \(status), and the app hears nothing."
        case .page:
            "Refused by the rule \(check.rule): the person sees an error page (\(code)), and the app hears nothing."
        case .redirectURI: "Refused by the rule \(check.rule): the app gets error=\(code) at its redirect URI."
        case .response: "Refused by the rule \(check.rule): the app gets HTTP \(status) with the error \(code)."
        }
    }
}

extension Check {
    var json: JSON {
        .object([
            .init("rule", .string(rule)), .init("section", .string(section)), .init("outcome", .string(outcome.name)),
            .init("registered", .array(registered.map { .string($0) })),
            .init("sent", sent.map { .string($0) } ?? .null),
            .init("finding", finding.map { .string($0) } ?? .null),
            .init("advice", advice.map { .string($0) } ?? .null),
        ])
    }
}
