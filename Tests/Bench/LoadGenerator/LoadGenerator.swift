import EventLoop
import Glibc

/// Usage: load-generator SCENARIO PORT CONNECTIONS SECONDS SERVER-PID [CLIENT-ID BASIC-CREDENTIALS REDIRECT-URI COOKIES]
enum LoadGenerator {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let port = UInt16(arguments[2]), let connections = Int(arguments[3]),
            let seconds = Double(arguments[4]), let server = Int32(arguments[5])
        else { fail("the arguments are SCENARIO PORT CONNECTIONS SECONDS SERVER-PID [APP…]") }
        let loop = EventLoop(index: 0)
        Task(executorPreference: loop) {
            let run = Run(loop: loop, scenario: scenario(arguments), seconds: seconds, server: server)
            await run.measure(port: port, connections: connections)
            loop.stop()
        }
        loop.run()
    }

    @Sendable private static func scenario(_ arguments: [String]) -> any Scenario {
        if arguments[1] == "discovery" { return DiscoveryScenario() }
        guard arguments.count == 10 else { fail("\(arguments[1]) needs an app") }
        let app = App(
            clientID: arguments[6], basicCredentials: arguments[7], redirectURI: arguments[8], cookies: arguments[9])
        switch arguments[1] {
        case "code": return CodeScenario(app)
        case "refresh": return RefreshScenario(app)
        case "userinfo":
            return AccessTokenScenario(app, sign: "\"sub\":\"") { $0.get("/oauth/userinfo", bearer: $1) }
        case "session_context":
            return AccessTokenScenario(app, sign: "\"sid\":\"") { $0.get("/v1/session/context", bearer: $1) }
        case "introspection":
            return AccessTokenScenario(app, sign: "\"client_id\":\"") { $0.introspect($1) }
        case "revocation": return RevocationScenario(app)
        default: fail("there is no scenario \(arguments[1])")
        }
    }
}

/// One measurement: a warm-up, then the time that counts. On its loop only.
final class Run {
    private let loop: EventLoop
    private let scenario: any Scenario
    private let seconds: Double
    private let server: Int32
    private var begun: [Int64] = []
    private var latencies: [Int64] = []
    private var isCounting = false

    init(loop: EventLoop, scenario: any Scenario, seconds: Double, server: Int32) {
        self.loop = loop
        self.scenario = scenario
        self.seconds = seconds
        self.server = server
    }

    func measure(port: UInt16, connections: Int) async {
        begun = Array(repeating: nanoseconds(), count: connections)
        let open = (0..<connections).map { user in
            Connection(loop: loop, port: port, index: user) { [unowned self] in answered($0, $1) }
        }
        for connection in open { connection.send(scenario.begin(connection.index)) }
        await loop.sleep(for: .seconds(min(2, seconds / 3)))
        let cpuBefore = cpuNanoseconds(of: server)
        let start = nanoseconds()
        isCounting = true
        await loop.sleep(for: .seconds(seconds))
        isCounting = false
        let time = Double(nanoseconds() - start) / 1e9
        let cpu = Double(cpuNanoseconds(of: server) - cpuBefore)
        report(time: time, cpu: cpu)
        for connection in open { connection.close() }
    }

    private func answered(_ connection: Connection, _ answer: Answer) {
        let (request, endsRound) = scenario.next(connection.index, after: answer)
        if endsRound {
            let now = nanoseconds()
            if isCounting { latencies.append(now - begun[connection.index]) }
            begun[connection.index] = now
        }
        connection.send(request)
    }

    private func report(time: Double, cpu: Double) {
        latencies.sort()
        guard !latencies.isEmpty else { fail("no round was completed") }
        func percentile(_ part: Double) -> Double {
            Double(latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]) / 1e6
        }
        let count = Double(latencies.count)
        print(
            """
            {"rounds": \(latencies.count), "per_second": \(count / time), "p50_ms": \(percentile(0.5)), \
            "p99_ms": \(percentile(0.99)), "server_cpu_us": \(cpu / count / 1e3)}
            """)
    }

    private func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// User and system time of all threads, from the clock of that process.
    private func cpuNanoseconds(of process: Int32) -> Int64 {
        var clock = clockid_t()
        guard clock_getcpuclockid(process, &clock) == 0 else { fail("process \(process) is gone") }
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
