import Administration
import JSON
import Storage
import StorageSupport
import Testing

@Suite("Accounts as admins write them") struct AccountEntryTests {
    private func problems(_ text: String) throws -> [String] {
        let json = try JSON(parsing: Array(text.utf8))
        do { _ = try AccountEntry(json: json) } catch { return error.fields }
        return []
    }

    @Test(
        "Every member of a wrong type or unknown is named",
        arguments: [
            (#"{"username": "a"}"#, []), (#"{"username": "a", "claims": {}, "status": "disabled"}"#, []),
            ("{}", ["username"]), (#"{"username": 7}"#, ["username"]), (#"{"username": null}"#, ["username"]),
            (#"{"username": ["a"]}"#, ["username"]),
            (#"{"username": "a", "status": "gone", "claims": [], "extra": 1}"#, ["extra", "status", "claims"]),
            (#"{"username": "a", "status": null, "claims": "x"}"#, ["status", "claims"]),
            (#"{"username": "a", "status": 1, "password": "password"}"#, ["password", "status"]),
            ("[]", [""]), ("7", [""]),
        ])
    func types(text: String, fields: [String]) throws {
        #expect(try problems(text) == fields)
    }

    @Test("What was read can be written; another's sub cannot")
    func readAndWrite() async throws {
        try await StorageFixture.run { fixture in
            let account = try await fixture.account(fixture.alice)
            let same = try AccountEntry(json: account.json, of: account)
            #expect(same.username == "alice@example.test" && same.status == .active && same.claims == account.claims)
            let other = account.json.merged(with: .object([.init("sub", .string("x"))]))
            let error = #expect(throws: AdministrationError.self) { try AccountEntry(json: other, of: account) }
            #expect(error?.fields == ["sub"])
        }
    }

    @Test("What admins read of an account holds no hash")
    func noHash() async throws {
        try await StorageFixture.run { fixture in
            let account = try await fixture.account(fixture.alice)
            #expect(account.passwordHash == "hash")
            #expect(account.json["has_password"] == .bool(true))
            #expect(!String(decoding: account.json.serialized(), as: UTF8.self).contains("hash"))
        }
    }

    @Test(
        "Usernames that cannot be told apart, or not be seen, are refused",
        arguments: [
            ("", false), (" a", false), ("a\u{a0}", false), ("a\u{2003}", false), ("\u{3000}", false), ("a b", true),
            ("a\0b", false), ("a\nb", false), ("a\u{7f}b", false), ("a\u{85}b", false), ("a\u{2028}b", false),
            ("a\u{200b}b", false), ("a\u{ad}b", false), ("\u{202e}a", false), ("a\u{feff}", false),
            ("a\u{fe0f}", false), ("\u{3164}", false), ("a\u{e0041}", false), ("\u{e9}", true), ("e\u{301}", true),
            ("\u{212a}", true), ("\u{1f600}", true), ("\u{5d0}\u{5d1}", true), ("alice+x@example.test", true),
            (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
            (String(repeating: "\u{e9}", count: 128), false), (String(repeating: "a", count: 10_240), false),
        ])
    func usernames(username: String, isAccepted: Bool) {
        #expect((AccountRules.usernameProblem(username) == nil) == isAccepted)
    }

    @Test(
        "Claims of wrong types are named, in objects too",
        arguments: [
            (#"{"email": 7, "name": null, "email_verified": "true"}"#, ["email", "name", "email_verified"]),
            (#"{"email_verified": true}"#, ["email_verified"]), (#"{"shoe_size": 44}"#, ["shoe_size"]),
            (#"{"sub": "x", "updated_at": 1}"#, ["sub", "updated_at"]), (#"{"address": "x"}"#, ["address"]),
            (#"{"address": {"planet": "x"}}"#, ["address.planet"]),
            (#"{"address": {"country": 7}}"#, ["address.country"]),
            (#"{"address": {"country": [[[[{"a": [1]}]]]]}}"#, ["address.country"]),
            (#"{"name": {"a": {"b": {"c": 1}}}}"#, ["name"]), (#"{"name": "a\u0000b"}"#, ["name"]),
            (#"{"address": {"locality": "a\u0000b"}}"#, ["address.locality"]), (#"{"name": ""}"#, ["name"]),
            (#"{"email": "nobody"}"#, ["email"]), (#"{"birthdate": 1999}"#, ["birthdate"]), ("[]", ["claims"]),
            (#"{"address": {"street_address": "1 A St\r\nB"}, "birthdate": "0000-02-29"}"#, []),
        ])
    func claims(text: String, fields: [String]) throws {
        let json = try JSON(parsing: Array(text.utf8))
        #expect(AccountRules.claimProblems(json).map(\.field) == fields)
    }
}
