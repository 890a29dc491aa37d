import Provider
import Telemetry

enum ServeCommand {
    static let command = Command(
        "serve", summary: "Run the server.",
        details: """
            Settings come from SELEID_… environment variables; SELEID_ISSUER, SELEID_DATABASE_URL and
            SELEID_MASTER_KEY_FILE must be set (see Docs/configuration.md). Prints a line "ready ISSUER" when it can
            serve; while migrations are pending it waits, and /readyz answers 503. SIGTERM: stops when the requests in
            flight have ended. SIGHUP: reads the TLS files again.
            """
    ) { _ in
        Signals.block()  // before any thread exists
        let configuration = try Configuration(environment: currentEnvironment())
        Log.setMinimumLevel(configuration.logLevel)
        let issuer = configuration.issuer.description
        try Lifecycle.run(configuration, onReady: { printOut("ready \(issuer)\n") })
    }
}
