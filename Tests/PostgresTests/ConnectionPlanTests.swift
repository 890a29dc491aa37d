import Testing

@testable import Postgres

@Suite("Connection strings") struct ConnectionPlanTests {
    private func hosts(_ string: String) throws -> [[String: String]] {
        let plan = try #require(ConnectionPlan(string))
        let keywords: Set = ["host", "hostaddr", "port"]
        return (0..<plan.hostCount).map { plan.parameters(host: $0).filter { keywords.contains($0.key) } }
    }

    @Test("several hosts are tried one at a time, each with its port")
    func split() throws {
        #expect(
            try hosts("host=a,b,c port=1,2,3") == [
                ["host": "a", "port": "1"], ["host": "b", "port": "2"], ["host": "c", "port": "3"],
            ])
        #expect(try hosts("host=a,b port=7") == [["host": "a", "port": "7"], ["host": "b", "port": "7"]])
        #expect(try hosts("host=a,b") == [["host": "a"], ["host": "b"]])
        #expect(try hosts("postgresql://u:p@a:1,b/x") == [["host": "a", "port": "1"], ["host": "b", "port": ""]])
        #expect(
            try hosts("host=a,b hostaddr=127.0.0.1,127.0.0.2") == [
                ["host": "a", "hostaddr": "127.0.0.1"], ["host": "b", "hostaddr": "127.0.0.2"],
            ])
    }

    @Test("one host, none, and what does not match is left to libpq")
    func unsplit() throws {
        #expect(try hosts("host=a port=1") == [["host": "a", "port": "1"]])
        #expect(try hosts("dbname=x") == [[:]])
        #expect(try hosts("host=a,b port=1,2,3") == [["host": "a,b", "port": "1,2,3"]])
        #expect(try hosts("host=a,b target_session_attrs=prefer-standby") == [["host": "a,b"]])
    }

    @Test("only a primary is good enough, unless the string says otherwise")
    func sessionAttributes() throws {
        let plain = try #require(ConnectionPlan("host=a"))
        #expect(plain.parameters(host: 0)["target_session_attrs"] == "read-write")
        let any = try #require(ConnectionPlan("postgresql://a/?target_session_attrs=any"))
        #expect(any.parameters(host: 0)["target_session_attrs"] == "any")
    }

    @Test("the string's own settings win, but text is UTF-8")
    func settings() throws {
        let plan = try #require(ConnectionPlan("application_name=x keepalives_idle=9 client_encoding=latin1"))
        let parameters = plan.parameters(host: 0)
        #expect(parameters["application_name"] == "x")
        #expect(parameters["keepalives_idle"] == "9")
        #expect(parameters["client_encoding"] == "UTF8")
        #expect(parameters["tcp_user_timeout"] == "10000")
    }

    @Test("the host that was good last is tried first, and not one that turned read-only")
    func preference() throws {
        let plan = try #require(ConnectionPlan("host=a,b,c"))
        #expect(plan.preferred == 0)
        plan.prefer(host: 2)
        #expect(plan.preferred == 2)
        plan.avoid(host: 1)
        #expect(plan.preferred == 2)
        plan.avoid(host: 2)
        #expect(plan.preferred == 0)
    }

    @Test("back-off doubles from 50 ms to 2 s, less up to a half, and begins anew after success")
    func backoff() {
        var backoff = Backoff()
        for full in [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000] {
            let delay = backoff.next()
            #expect(delay >= .milliseconds(full / 2) && delay <= .milliseconds(full))
        }
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(50))
    }
}
