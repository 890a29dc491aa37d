import Testing

@testable import Pages

@Suite("Languages (RFC 4647 lookup, RFC 9110 §12.5.4)") struct LanguageTests {
    @Test(
        "ui_locales come first, in their order; then Accept-Language by weight; English otherwise",
        arguments: [
            ([], nil, Language.english), (["de"], nil, .german), (["de-AT"], nil, .german),
            (["DE-ch-1996"], nil, .german),
            (["se", "sv-FI"], nil, .swedish), (["se"], "fi", .finnish), (["fr"], "de", .french),
            (["xx", "yy"], nil, .english),
            ([], "de", .german), ([], "da, en-GB;q=0.8, fr;q=0.9", .french), ([], "fr;q=0.8,de;q=0.8", .french),
            ([], "de;q=0, sv", .swedish), ([], "de;q=0", .english), ([], "*", .english), ([], "", .english),
            ([], " , ;q=1, es ; q=0.5 ", .spanish), ([], "de;q=abc, fi;q=0.1", .finnish),
            ([], "de;q=2, fi;q=0.1", .finnish),
            ([], "de;q=nan, fi;q=0.1", .finnish), ([], "german, deu, d, fi", .finnish), ([], "fi;q=1.000", .finnish),
            ([""], "fi", .finnish), (["-de"], nil, .english), ([], "sv\t;\tQ=0.3, de;q=0.2", .swedish),
        ] as [([String], String?, Language)])
    func choice(uiLocales: [String], acceptLanguage: String?, language: Language) {
        #expect(Language.choose(uiLocales: uiLocales, acceptLanguage: acceptLanguage) == language)
    }

    @Test("Long lists are read only at their start")
    func longLists() {
        let filler = Array(repeating: "xx", count: 100_000)
        #expect(
            Language.choose(uiLocales: filler + ["de"], acceptLanguage: filler.joined(separator: ",") + ",de")
                == .english)
    }

    @Test("No language has a text of another one for its long sentences", arguments: Language.allCases)
    func ownTexts(language: Language) {
        for other in Language.allCases where other != language {
            let (mine, theirs) = (Strings.of(language), Strings.of(other))
            #expect(mine.wrongCredentials != theirs.wrongCredentials)
            #expect(mine.busy != theirs.busy)
            #expect(mine.badRequest.text != theirs.badRequest.text)
            #expect(mine.unavailable.text != theirs.unavailable.text)
            #expect(mine.consentScopes.offlineAccess != theirs.consentScopes.offlineAccess)
        }
    }
}
