extension Strings {
    static let swedish = Strings(
        signInTitle: "Logga in",
        signInLead: { "för att fortsätta till \($0)" },
        username: "Användarnamn",
        password: "Lösenord",
        signIn: "Logga in",
        cancel: "Avbryt",
        wrongCredentials: "Användarnamnet eller lösenordet är fel. Försök igen.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "För många misslyckade försök. Försök igen om en sekund."
            case .seconds(let count): "För många misslyckade försök. Försök igen om \(count) sekunder."
            case .minutes(let count): "För många misslyckade försök. Försök igen om \(count) minuter."
            }
        },
        busy: "Många loggar in just nu. Försök igen om en liten stund.",
        accountTitle: "Välj ett konto",
        accountLead: { "för att fortsätta till \($0)" },
        continueWithAccount: "Fortsätt med det här kontot",
        useAnotherAccount: "Använd ett annat konto",
        consentTitle: "Tillåta åtkomst?",
        consentLead: { "\($0) vill:" },
        consentScopes: ScopeStrings(
            openidAlone: "veta vem du är: en identifierare och inget annat om dig",
            openid: "veta vem du är: en identifierare",
            profile: "se ditt namn och de andra uppgifterna i din profil",
            email: "se din e-postadress",
            address: "se din postadress",
            phone: "se ditt telefonnummer",
            offlineAccess: "behålla den här åtkomsten när du inte använder appen"),
        signedInAs: "Inloggad som",
        allow: "Tillåt",
        deny: "Neka",
        returnsToPlace: { "Sedan kommer du tillbaka till \($0)." },
        returnsToDevice: "Sedan kommer du tillbaka till appen på den här enheten.",
        website: "Webbplats",
        privacyPolicy: "Integritetspolicy",
        termsOfService: "Användarvillkor",
        opensInNewTab: "öppnas i en ny flik",
        returnTitle: "Tillbaka till appen",
        returnLead: { "\($0) ska öppnas av sig själv. Använd knappen om det inte händer." },
        openApp: { "Öppna \($0)" },
        badRequest: ErrorStrings(
            title: "Inloggningen kan inte börja",
            text: "Appen eller sidan som skickade dig hit gjorde ett fel. Det är inget fel på ditt konto. "
                + "Gå tillbaka och försök igen; om det händer igen, berätta det för dem som gör appen."),
        notFound: ErrorStrings(
            title: "Här finns ingenting",
            text: "Adressen kan vara felskriven eller för gammal."),
        expired: ErrorStrings(
            title: "Den här inloggningen har gått ut",
            text: "Sidan var öppen för länge eller öppnades i en annan webbläsare. Gå tillbaka till appen och börja om."
        ),
        cookiesNeeded: ErrorStrings(
            title: "Kakor behövs",
            text: "Din webbläsare sparar inte kakor för den här webbplatsen, så vi kan inte logga in dig. "
                + "Tillåt kakor för den här webbplatsen, gå tillbaka till appen och börja om."),
        unavailable: ErrorStrings(
            title: "Vi kan inte svara just nu",
            text: "Något hos oss är inte tillgängligt. Inget har gått förlorat: vänta en stund och ladda om sidan."),
        failure: ErrorStrings(
            title: "Något gick fel",
            text: "Felet är vårt, inte ditt. Gå tillbaka till appen och försök igen."),
        forDevelopers: "För appens utvecklare",
        errorCode: "Fel",
        errorDescription: "Beskrivning",
        requestID: "Begärans nummer")
}
