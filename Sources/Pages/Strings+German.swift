extension Strings {
    static let german = Strings(
        signInTitle: "Anmelden",
        signInLead: { "und weiter zu \($0)" },
        username: "Benutzername",
        password: "Passwort",
        signIn: "Anmelden",
        cancel: "Abbrechen",
        wrongCredentials: "Benutzername oder Passwort stimmt nicht. Bitte versuchen Sie es noch einmal.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "Zu viele Fehlversuche. Bitte versuchen Sie es in einer Sekunde wieder."
            case .seconds(let count): "Zu viele Fehlversuche. Bitte versuchen Sie es in \(count) Sekunden wieder."
            case .minutes(let count): "Zu viele Fehlversuche. Bitte versuchen Sie es in \(count) Minuten wieder."
            }
        },
        busy: "Gerade melden sich viele Leute an. Bitte versuchen Sie es gleich noch einmal.",
        accountTitle: "Konto auswählen",
        accountLead: { "und weiter zu \($0)" },
        continueWithAccount: "Mit diesem Konto weiter",
        useAnotherAccount: "Anderes Konto verwenden",
        consentTitle: "Zugriff erlauben?",
        consentLead: { "\($0) möchte:" },
        consentScopes: ScopeStrings(
            openidAlone: "wissen, wer Sie sind: eine Kennung und sonst nichts über Sie",
            openid: "wissen, wer Sie sind: eine Kennung",
            profile: "Ihren Namen und die übrigen Angaben Ihres Profils sehen",
            email: "Ihre E-Mail-Adresse sehen",
            address: "Ihre Postanschrift sehen",
            phone: "Ihre Telefonnummer sehen",
            offlineAccess: "diesen Zugriff behalten, auch wenn Sie die App nicht benutzen"),
        signedInAs: "Angemeldet als",
        allow: "Erlauben",
        deny: "Ablehnen",
        returnsToPlace: { "Danach geht es zurück zu \($0)." },
        returnsToDevice: "Danach geht es zurück zur App auf diesem Gerät.",
        website: "Website",
        privacyPolicy: "Datenschutzerklärung",
        termsOfService: "Nutzungsbedingungen",
        opensInNewTab: "öffnet einen neuen Tab",
        returnTitle: "Es geht zurück zur App",
        returnLead: { "\($0) sollte sich von selbst öffnen. Wenn nicht, tippen Sie auf die Schaltfläche." },
        openApp: { "\($0) öffnen" },
        badRequest: ErrorStrings(
            title: "Diese Anmeldung kann nicht beginnen",
            text:
                "Die App oder Seite, die Sie hierher geschickt hat, hat einen Fehler gemacht. Mit Ihrem Konto ist alles "
                + "in Ordnung. Gehen Sie zurück und versuchen Sie es noch einmal; wenn es wieder geschieht, sagen Sie es "
                + "den Leuten, die die App machen."),
        notFound: ErrorStrings(
            title: "Hier ist nichts",
            text: "Vielleicht ist die Adresse falsch geschrieben oder veraltet."),
        expired: ErrorStrings(
            title: "Diese Anmeldung ist abgelaufen",
            text: "Die Seite war zu lange offen oder wurde in einem anderen Browser geöffnet. "
                + "Gehen Sie zurück zur App und beginnen Sie von vorn."),
        cookiesNeeded: ErrorStrings(
            title: "Cookies werden gebraucht",
            text: "Ihr Browser speichert für diese Website keine Cookies, darum können wir Sie nicht anmelden. "
                + "Erlauben Sie Cookies für diese Website, gehen Sie zurück zur App und beginnen Sie von vorn."),
        unavailable: ErrorStrings(
            title: "Wir können gerade nicht antworten",
            text: "Bei uns ist etwas nicht erreichbar. Nichts ist verloren: Warten Sie einen Augenblick und laden Sie "
                + "diese Seite neu."),
        failure: ErrorStrings(
            title: "Etwas ist schiefgegangen",
            text: "Das ist unser Fehler, nicht Ihrer. Gehen Sie zurück zur App und versuchen Sie es noch einmal."),
        forDevelopers: "Für die Entwickler der App",
        errorCode: "Fehler",
        errorDescription: "Beschreibung",
        requestID: "Anfragenummer")
}
