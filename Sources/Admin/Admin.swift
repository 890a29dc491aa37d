import HTTP

/// The admin API, below `/admin/v1` (`Docs/openapi.yaml`).
public struct Admin: Sendable {
    public init() {}

    public var routes: [Route] { [] }
}
