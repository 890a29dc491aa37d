/// What a pool needs to know.
public struct DatabaseConfiguration: Sendable {
    /// A libpq connection string or URI; several hosts allowed. `target_session_attrs=read-write` is added when absent.
    public var connectionString: String
    /// Pipelined connections of one loop, for single statements.
    public var sharedConnections = 3
    /// Connections of one loop for transactions.
    public var exclusiveConnections = 1
    /// For one host: name resolved to session ready.
    public var connectTimeout: Duration = .seconds(3)
    /// A statement over this is cancelled on the server, and its connection is closed if that does not help.
    public var statementTimeout: Duration = .seconds(5)
    /// How long a query waits for a connection before `unavailable`.
    public var acquireTimeout: Duration = .seconds(2)
    /// Queries that may wait or be in flight on one loop; above it `unavailable` at once.
    public var queueLimit = 2048
    public init(connectionString: String) { self.connectionString = connectionString }

    /// Whether libpq understands the connection string. The reason is not given: libpq's text quotes the string, and
    /// with it perhaps the password.
    public var hasValidConnectionString: Bool { ConnectionPlan(connectionString) != nil }
}
