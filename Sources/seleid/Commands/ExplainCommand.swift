import FaultFinder
import Glibc
import JSON
import Provider

enum ExplainCommand {
    static let command = Command(
        "explain", summary: "Say which rule refuses an authorization URL or a token request.", positionals: ["[URL]"],
        options: [
            .value("token-request", "FILE", "the form of a token request in place of a URL; - is standard input"),
            .value("header", "HEADER", repeats: true, "with it: Authorization or Content-Type, as curl takes them"),
            Output.jsonOption,
        ],
        details: """
            Goes through the server's own rules, with what is registered and what was sent side by side. It only reads: no
            code is spent, no token rotated, nothing recorded. Secrets are not shown.

            FILE may also be a whole HTTP message, headers above an empty line and the form below: then no secret stands on
            the command line, where other users of the machine could see it.

            Exit code: 0 when the request would be accepted, 1 when it would be refused (or could not be explained).
            """
    ) { invocation in
        let explanation: Explanation
        switch (invocation.positionals.first, invocation.value("token-request")) {
        case (let url?, nil):
            guard invocation.all("header").isEmpty else { throw UsageError("--header belongs to --token-request") }
            explanation = try explain { try await $0.explain(authorization: url) }
        case (nil, let path?):
            let request = try tokenRequest(path, headers: invocation.all("header"))
            explanation = try explain { try await $0.explain(token: request) }
        case (nil, nil): throw UsageError("URL is missing, or --token-request FILE")
        case (.some, .some): throw UsageError("URL and --token-request exclude each other")
        }
        if invocation.has("json") { Output.json(explanation.json) } else { show(explanation) }
        if explanation.refused != nil { throw NegativeAnswer() }
    }

    private static func explain(
        _ body: @escaping @Sendable (Explainer) async throws -> Explanation
    ) throws -> Explanation {
        try CommandContext.run { context in
            try await body(
                Explainer(
                    issuer: try context.issuer(), database: context.database, masterKeys: try context.masterKeys(),
                    now: { Int64(time(nil)) }))
        }
    }

    // MARK: The request

    private static func tokenRequest(_ path: String, headers: [String]) throws -> TokenRequestText {
        var request = TokenRequestText(body: [])
        for header in headers {
            guard take(header, into: &request) else { throw UsageError("--header must be NAME: VALUE") }
        }
        let lines = try Files.readText(path, limit: 1 << 20)
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        var form = lines[...]
        if let end = lines.firstIndex(of: ""), lines[end...].contains(where: { !$0.isEmpty }) {
            for line in lines[..<end] { _ = take(String(line), into: &request) }
            form = lines[(end + 1)...]
        }
        while form.last?.isEmpty == true { form.removeLast() }
        request.body = Array(form.joined(separator: "\n").utf8)
        return request
    }

    /// What is said on the command line stands before what the file says.
    /// - Returns: false when it is no header field.
    private static func take(_ header: String, into request: inout TokenRequestText) -> Bool {
        guard let colon = header.firstIndex(of: ":") else { return false }
        let value = String(header[header.index(after: colon)...].drop { $0 == " " })
        switch header[..<colon].lowercased() {
        case "authorization": request.authorization.append(value)
        case "content-type": request.contentType = request.contentType ?? value
        default: break
        }
        return true
    }

    // MARK: The answer

    private static func show(_ explanation: Explanation) {
        var lines = [explanation.summary, ""]
        let width = explanation.checks.map(\.rule.count).max() ?? 0
        for check in explanation.checks {
            let head = "\(mark(check).padded(to: 7))  \(check.rule.padded(to: width))"
            let indentation = String(repeating: " ", count: head.count)
            for (index, line) in details(check).enumerated() {
                lines.append(line.isEmpty ? head : "\(index == 0 ? head : indentation)  \(line)")
            }
        }
        if !explanation.notes.isEmpty { lines.append("") }
        lines += explanation.notes.map { "Note: \($0)" }
        for line in lines { printOut("\(printable(line))\n") }
    }

    private static func mark(_ check: Check) -> String {
        switch check.outcome {
        case .passed: "passed"
        case .failed: "FAILED"
        case .skipped: "skipped"
        case .notKnown: "open"
        }
    }

    /// All that is known of what failed, and in a line what was found right.
    private static func details(_ check: Check) -> [String] {
        guard case .failed = check.outcome else {
            return [check.finding ?? shortened(check.sent ?? check.registered.joined(separator: ", "))]
        }
        let registered = check.registered.enumerated().map { ($0.offset == 0 ? "registered" : "", $0.element) }
        let rows =
            registered
            + [("sent", check.sent ?? "nothing"), ("finding", check.finding), ("advice", check.advice)]
            .compactMap { name, text in text.map { (name, $0) } } + [("section", check.section)]
        return rows.map { "\($0.padded(to: 10))  \($1)" }
    }

    private static func shortened(_ text: String) -> String { text.count > 80 ? text.prefix(79) + "…" : text }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
