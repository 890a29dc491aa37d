import HTTP
import Testing

@testable import Admin

@Suite("Conditions (RFC 9110 §13.1)") struct EntityTagsTests {
    private func tags(_ fields: String...) throws -> EntityTags? {
        try EntityTags("If-Match", of: Headers(fields.map { ("if-match", $0) }))
    }

    @Test("§13.1.1: If-Match compares strongly, so that a weak tag is equal to nothing")
    func strong() throws {
        #expect(try tags(#""a""#)?.match(#""a""#) == true)
        #expect(try tags(#""A""#)?.match(#""a""#) == false)
        #expect(try tags(#"W/"a""#)?.match(#""a""#) == false)
        #expect(try tags(#"W/"a", "a""#)?.match(#""a""#) == true)
    }

    @Test("§13.1.2: If-None-Match compares weakly") func weak() throws {
        #expect(try tags(#"W/"a""#)?.matchWeakly(#""a""#) == true)
        #expect(try tags(#""a""#)?.matchWeakly(#""a""#) == true)
        #expect(try tags(#"W/"b""#)?.matchWeakly(#""a""#) == false)
    }

    @Test("* is whatever there is") func any() throws {
        #expect(try tags(" * ")?.match(#""a""#) == true)
        #expect(try tags("*")?.matchWeakly(#""a""#) == true)
    }

    @Test(
        "§8.8.3, §5.6.1: a list of tags, in which a comma may stand inside the quotes and an element may be empty",
        arguments: [#""b","a""#, #""b" , "a""#, "\"b\"\t,\t\"a\"", #", "a",,"#, #""b,", "a""#, #""", "a""#])
    func list(field: String) throws {
        #expect(try tags(field)?.match(#""a""#) == true)
    }

    @Test("what stands inside the quotes of a tag is no tag") func commaInside() throws {
        #expect(try tags(#""x,"y",a""#.replacing("\"y\"", with: "y"))?.match(#""a""#) == false)
    }

    @Test("several fields are one list (§5.3)") func fields() throws {
        #expect(try tags(#""b""#, #""a""#)?.match(#""a""#) == true)
        #expect(try tags(#""b""#, #""c""#)?.match(#""a""#) == false)
        #expect(try tags() == nil)
    }

    @Test(
        "what cannot be read is refused, since a condition that is passed over would be one that holds",
        arguments: [
            "", " ", ",", "a", #""a"#, #"a""#, #""a" "b""#, #"w/"a""#, #"W / "a""#, #"*, "a""#, #""a", *"#, "\"a b\"",
            "'a'",
        ])
    func unreadable(field: String) {
        let problem = #expect(throws: Problem.self) { try tags(field) }
        #expect(problem?.kind == .badRequest)
    }
}
