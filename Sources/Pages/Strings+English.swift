extension Strings {
    static let english = Strings(
        signInTitle: "Sign in",
        signInLead: { "to continue to \($0)" },
        username: "Username",
        password: "Password",
        signIn: "Sign in",
        cancel: "Cancel",
        wrongCredentials: "The username or password is not right. Please try again.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "Too many failed attempts. Please try again in a second."
            case .seconds(let count): "Too many failed attempts. Please try again in \(count) seconds."
            case .minutes(let count): "Too many failed attempts. Please try again in \(count) minutes."
            }
        },
        busy: "Many people are signing in just now. Please try again in a moment.",
        accountTitle: "Choose an account",
        accountLead: { "to continue to \($0)" },
        continueWithAccount: "Continue with this account",
        useAnotherAccount: "Use another account",
        consentTitle: "Allow access?",
        consentLead: { "\($0) would like to:" },
        consentScopes: ScopeStrings(
            openidAlone: "know who you are: an identifier, and nothing else about you",
            openid: "know who you are: an identifier",
            profile: "see your name and the other details of your profile",
            email: "see your email address",
            address: "see your postal address",
            phone: "see your phone number",
            offlineAccess: "keep this access while you are not using the app"),
        signedInAs: "Signed in as",
        allow: "Allow",
        deny: "Deny",
        returnsToPlace: { "You then go back to \($0)." },
        returnsToDevice: "You then go back to the app on this device.",
        website: "Website",
        privacyPolicy: "Privacy policy",
        termsOfService: "Terms of service",
        opensInNewTab: "opens in a new tab",
        returnTitle: "You can go back now",
        returnLead: { "\($0) should open by itself. If it does not, use the button." },
        openApp: { "Open \($0)" },
        badRequest: ErrorStrings(
            title: "This sign-in cannot start",
            text: "The app or page that sent you here made a mistake. Your account is fine. "
                + "Go back and try again; if it happens again, tell the people who make the app."),
        notFound: ErrorStrings(
            title: "There is nothing here",
            text: "The address may be mistyped or out of date."),
        expired: ErrorStrings(
            title: "This sign-in has run out",
            text: "The page was open for too long, or was opened in another browser. "
                + "Go back to the app and start again."),
        cookiesNeeded: ErrorStrings(
            title: "Cookies are needed",
            text: "Your browser does not keep cookies for this site, so we cannot sign you in. "
                + "Allow cookies for this site, go back to the app and start again."),
        unavailable: ErrorStrings(
            title: "We cannot answer just now",
            text: "Something on our side is not available. Nothing is lost: wait a moment and load this page again."),
        failure: ErrorStrings(
            title: "Something went wrong",
            text: "This is our fault, not yours. Go back to the app and try again."),
        forDevelopers: "For the app’s developer",
        errorCode: "Error",
        errorDescription: "Description",
        requestID: "Request ID")
}
