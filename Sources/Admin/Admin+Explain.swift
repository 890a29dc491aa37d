import FaultFinder
import HTTP
import JSON

extension Admin {
    /// A POST, because what is explained may be long and hold secrets; it changes nothing.
    var explainRoutes: [Route] { [read(method: .post, "/explain", .clients, explain)] }

    private func explain(_ call: Call) async throws -> Response {
        try call.query.allow()
        let body = try call.body()
        try call.refuseOthers(in: body, "url", "token_request", "authorization", "content_type")
        let authorization = try text("authorization", in: body)
        let contentType = try text("content_type", in: body)
        switch (try text("url", in: body), try text("token_request", in: body)) {
        case (let url?, nil):
            for name in ["authorization", "content_type"] where body[name] != nil {
                throw Problem.field(name, "belongs to a token_request")
            }
            return .json(try await explainer.explain(authorization: url).json.serialized())
        case (nil, let form?):
            let request = TokenRequestText(
                body: Array(form.utf8), authorization: authorization.map { [$0] } ?? [], contentType: contentType)
            return .json(try await explainer.explain(token: request).json.serialized())
        case (nil, nil): throw Problem.field("url", "must be there, or token_request")
        case (.some, .some): throw Problem.field("token_request", "must not be there beside url")
        }
    }

    /// nil when it is missing.
    private func text(_ name: String, in body: JSON) throws(Problem) -> String? {
        guard let value = body[name] else { return nil }
        guard let text = value.stringValue else { throw .field(name, "must be a string") }
        return text
    }
}
