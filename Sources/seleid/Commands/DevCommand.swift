import Provider

enum DevCommand {
    static let command = Command(
        "dev", summary: "Try SeleID: a server with a private database, a demo app and a demo person.",
        options: [
            .value("port", "N", "the port on 127.0.0.1 (default 8080; 0: any free one)"),
            .value("data", "DIR", "where everything is kept (default .seleid)"),
            .value("apply", "FILE", repeats: true, "apply a file of clients and accounts before serving"),
            .flag("tls", "serve https://localhost:N, with a local certificate authority"),
        ],
        details: """
            Makes a PostgreSQL cluster, a master key and a signing key in DIR, or uses those it finds there. Prints a
            line "ready ISSUER" when it can serve. SIGTERM or Ctrl-C stops the server, then PostgreSQL.
            DIR/database-url and DIR/master.key serve other commands: SELEID_DATABASE_URL="$(cat DIR/database-url)"
            SELEID_MASTER_KEY_FILE=DIR/master.key seleid client list. DIR/admin-token holds a token for the admin API.
            """
    ) { invocation in
        var options = Development.Options()
        if let text = invocation.value("port") {
            guard let port = UInt16(text), text.allSatisfy(\.isNumber) else {
                throw UsageError("--port must be a number from 0 to 65535")
            }
            options.port = port
        }
        if let data = invocation.value("data") {
            guard !data.isEmpty else { throw UsageError("--data must name a directory") }
            options.dataDirectory = data
        }
        options.applyFiles = invocation.all("apply")
        options.usesTLS = invocation.has("tls")
        Signals.block()  // before any thread exists
        try Development(options, environment: currentEnvironment()).run()
    }
}
