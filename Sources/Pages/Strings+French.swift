extension Strings {
    static let french = Strings(
        signInTitle: "Connexion",
        signInLead: { "pour continuer vers \($0)" },
        username: "Nom d’utilisateur",
        password: "Mot de passe",
        signIn: "Se connecter",
        cancel: "Annuler",
        wrongCredentials: "Le nom d’utilisateur ou le mot de passe est incorrect. Veuillez réessayer.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "Trop de tentatives échouées. Veuillez réessayer dans une seconde."
            case .seconds(let count): "Trop de tentatives échouées. Veuillez réessayer dans \(count) secondes."
            case .minutes(let count): "Trop de tentatives échouées. Veuillez réessayer dans \(count) minutes."
            }
        },
        busy: "Beaucoup de personnes se connectent en ce moment. Veuillez réessayer dans un instant.",
        accountTitle: "Choisir un compte",
        accountLead: { "pour continuer vers \($0)" },
        continueWithAccount: "Continuer avec ce compte",
        useAnotherAccount: "Utiliser un autre compte",
        consentTitle: "Autoriser l’accès\u{202F}?",
        consentLead: { "\($0) souhaite\u{A0}:" },
        consentScopes: ScopeStrings(
            openidAlone: "savoir qui vous êtes\u{A0}: un identifiant, et rien d’autre sur vous",
            openid: "savoir qui vous êtes\u{A0}: un identifiant",
            profile: "voir votre nom et les autres informations de votre profil",
            email: "voir votre adresse e-mail",
            address: "voir votre adresse postale",
            phone: "voir votre numéro de téléphone",
            offlineAccess: "conserver cet accès quand vous n’utilisez pas l’application"),
        signedInAs: "Connecté en tant que",
        allow: "Autoriser",
        deny: "Refuser",
        returnsToPlace: { "Vous retournerez ensuite vers \($0)." },
        returnsToDevice: "Vous retournerez ensuite à l’application sur cet appareil.",
        website: "Site web",
        privacyPolicy: "Politique de confidentialité",
        termsOfService: "Conditions d’utilisation",
        opensInNewTab: "s’ouvre dans un nouvel onglet",
        returnTitle: "Retour à l’application",
        returnLead: { "\($0) devrait s’ouvrir automatiquement. Sinon, utilisez le bouton." },
        openApp: { "Ouvrir \($0)" },
        badRequest: ErrorStrings(
            title: "Cette connexion ne peut pas commencer",
            text: "L’application ou la page qui vous a envoyé ici a fait une erreur. Votre compte n’est pas en cause. "
                + "Revenez en arrière et réessayez\u{202F}; si cela se reproduit, signalez-le aux auteurs de l’application."
        ),
        notFound: ErrorStrings(
            title: "Il n’y a rien ici",
            text: "L’adresse est peut-être mal écrite ou périmée."),
        expired: ErrorStrings(
            title: "Cette connexion a expiré",
            text: "La page est restée ouverte trop longtemps ou a été ouverte dans un autre navigateur. "
                + "Retournez à l’application et recommencez."),
        cookiesNeeded: ErrorStrings(
            title: "Les cookies sont nécessaires",
            text: "Votre navigateur ne conserve pas de cookies pour ce site, nous ne pouvons donc pas vous connecter. "
                + "Autorisez les cookies pour ce site, retournez à l’application et recommencez."),
        unavailable: ErrorStrings(
            title: "Nous ne pouvons pas répondre pour le moment",
            text: "Un élément de notre service est indisponible. Rien n’est perdu\u{A0}: patientez un instant, puis "
                + "rechargez cette page."),
        failure: ErrorStrings(
            title: "Une erreur s’est produite",
            text: "C’est notre faute, pas la vôtre. Retournez à l’application et réessayez."),
        forDevelopers: "Pour les développeurs de l’application",
        errorCode: "Erreur",
        errorDescription: "Description",
        requestID: "Numéro de requête")
}
