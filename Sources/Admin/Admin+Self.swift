import AdminDescription
import Administration
import HTTP
import JSON

extension Admin {
    /// What the API says of itself and of its caller.
    var selfRoutes: [Route] {
        [
            // Without a token: who may not use the API may still know what it is.
            Route(.get, Self.base + "/openapi.yaml") { _ in
                let headers = Headers([("Content-Type", "application/yaml"), ("Cache-Control", "no-store")])
                return Response(status: 200, headers: headers, body: AdminDescription.yaml)
            },
            read("/me", nil) { call in
                try call.query.allow()
                return .json(call.token.json.serialized())
            },
        ]
    }
}
