extension Strings {
    static let finnish = Strings(
        signInTitle: "Kirjaudu sisään",
        signInLead: { "ja jatka sovellukseen \($0)" },
        username: "Käyttäjätunnus",
        password: "Salasana",
        signIn: "Kirjaudu sisään",
        cancel: "Peruuta",
        wrongCredentials: "Käyttäjätunnus tai salasana on väärä. Yritä uudelleen.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "Liian monta epäonnistunutta yritystä. Yritä uudelleen sekunnin kuluttua."
            case .seconds(let count):
                "Liian monta epäonnistunutta yritystä. Yritä uudelleen \(count) sekunnin kuluttua."
            case .minutes(let count):
                "Liian monta epäonnistunutta yritystä. Yritä uudelleen \(count) minuutin kuluttua."
            }
        },
        busy: "Moni kirjautuu sisään juuri nyt. Yritä hetken kuluttua uudelleen.",
        accountTitle: "Valitse tili",
        accountLead: { "ja jatka sovellukseen \($0)" },
        continueWithAccount: "Jatka tällä tilillä",
        useAnotherAccount: "Käytä toista tiliä",
        consentTitle: "Sallitaanko pääsy?",
        consentLead: { "\($0) haluaa:" },
        consentScopes: ScopeStrings(
            openidAlone: "tietää, kuka olet: tunnisteen eikä mitään muuta sinusta",
            openid: "tietää, kuka olet: tunnisteen",
            profile: "nähdä nimesi ja muut profiilisi tiedot",
            email: "nähdä sähköpostiosoitteesi",
            address: "nähdä postiosoitteesi",
            phone: "nähdä puhelinnumerosi",
            offlineAccess: "säilyttää tämän pääsyn silloinkin, kun et käytä sovellusta"),
        signedInAs: "Kirjautuneena",
        allow: "Salli",
        deny: "Kiellä",
        returnsToPlace: { "Sen jälkeen palaat osoitteeseen \($0)." },
        returnsToDevice: "Sen jälkeen palaat tämän laitteen sovellukseen.",
        website: "Verkkosivusto",
        privacyPolicy: "Tietosuojaseloste",
        termsOfService: "Käyttöehdot",
        opensInNewTab: "avautuu uuteen välilehteen",
        returnTitle: "Takaisin sovellukseen",
        returnLead: { "Sovelluksen \($0) pitäisi avautua itsestään. Jos se ei avaudu, käytä painiketta." },
        openApp: { "Avaa \($0)" },
        badRequest: ErrorStrings(
            title: "Kirjautumista ei voi aloittaa",
            text: "Sovellus tai sivu, joka lähetti sinut tänne, teki virheen. Tilisi on kunnossa. "
                + "Palaa takaisin ja yritä uudelleen; jos näin käy taas, kerro siitä sovelluksen tekijöille."),
        notFound: ErrorStrings(
            title: "Täällä ei ole mitään",
            text: "Osoite voi olla väärin kirjoitettu tai vanhentunut."),
        expired: ErrorStrings(
            title: "Tämä kirjautuminen on vanhentunut",
            text: "Sivu oli auki liian kauan tai avattiin toisessa selaimessa. Palaa sovellukseen ja aloita alusta."),
        cookiesNeeded: ErrorStrings(
            title: "Evästeitä tarvitaan",
            text: "Selaimesi ei tallenna tämän sivuston evästeitä, joten emme voi kirjata sinua sisään. "
                + "Salli tämän sivuston evästeet, palaa sovellukseen ja aloita alusta."),
        unavailable: ErrorStrings(
            title: "Emme voi vastata juuri nyt",
            text: "Jokin osa palvelustamme ei ole käytettävissä. Mitään ei ole kadonnut: odota hetki ja lataa sivu "
                + "uudelleen."),
        failure: ErrorStrings(
            title: "Jokin meni vikaan",
            text: "Vika on meidän, ei sinun. Palaa sovellukseen ja yritä uudelleen."),
        forDevelopers: "Sovelluksen kehittäjälle",
        errorCode: "Virhe",
        errorDescription: "Kuvaus",
        requestID: "Pyynnön tunnus")
}
