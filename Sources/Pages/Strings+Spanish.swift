extension Strings {
    static let spanish = Strings(
        signInTitle: "Iniciar sesión",
        signInLead: { "para continuar a \($0)" },
        username: "Nombre de usuario",
        password: "Contraseña",
        signIn: "Iniciar sesión",
        cancel: "Cancelar",
        wrongCredentials: "El nombre de usuario o la contraseña no son correctos. Inténtelo de nuevo.",
        tooManyAttempts: { seconds in
            switch WaitingTime(seconds: seconds) {
            case .seconds(1): "Demasiados intentos fallidos. Inténtelo de nuevo dentro de un segundo."
            case .seconds(let count): "Demasiados intentos fallidos. Inténtelo de nuevo dentro de \(count) segundos."
            case .minutes(let count): "Demasiados intentos fallidos. Inténtelo de nuevo dentro de \(count) minutos."
            }
        },
        busy: "En este momento muchas personas están iniciando sesión. Inténtelo de nuevo en unos instantes.",
        accountTitle: "Elegir una cuenta",
        accountLead: { "para continuar a \($0)" },
        continueWithAccount: "Continuar con esta cuenta",
        useAnotherAccount: "Usar otra cuenta",
        consentTitle: "¿Permitir el acceso?",
        consentLead: { "\($0) quiere:" },
        consentScopes: ScopeStrings(
            openidAlone: "saber quién es usted: un identificador y nada más sobre usted",
            openid: "saber quién es usted: un identificador",
            profile: "ver su nombre y los demás datos de su perfil",
            email: "ver su dirección de correo electrónico",
            address: "ver su dirección postal",
            phone: "ver su número de teléfono",
            offlineAccess: "mantener este acceso mientras usted no usa la aplicación"),
        signedInAs: "Sesión iniciada como",
        allow: "Permitir",
        deny: "Denegar",
        returnsToPlace: { "Después volverá a \($0)." },
        returnsToDevice: "Después volverá a la aplicación de este dispositivo.",
        website: "Sitio web",
        privacyPolicy: "Política de privacidad",
        termsOfService: "Condiciones del servicio",
        opensInNewTab: "se abre en una pestaña nueva",
        returnTitle: "Volver a la aplicación",
        returnLead: { "\($0) debería abrirse automáticamente. Si no se abre, use el botón." },
        openApp: { "Abrir \($0)" },
        badRequest: ErrorStrings(
            title: "Este inicio de sesión no puede comenzar",
            text: "La aplicación o página que le envió aquí cometió un error. Su cuenta está bien. "
                + "Vuelva atrás e inténtelo de nuevo; si ocurre otra vez, avise a los autores de la aplicación."),
        notFound: ErrorStrings(
            title: "Aquí no hay nada",
            text: "Puede que la dirección esté mal escrita o ya no sea válida."),
        expired: ErrorStrings(
            title: "Este inicio de sesión ha caducado",
            text: "La página ha estado abierta demasiado tiempo o se abrió en otro navegador. "
                + "Vuelva a la aplicación y comience de nuevo."),
        cookiesNeeded: ErrorStrings(
            title: "Se necesitan cookies",
            text: "Su navegador no guarda cookies de este sitio, por lo que no podemos iniciar su sesión. "
                + "Permita las cookies de este sitio, vuelva a la aplicación y comience de nuevo."),
        unavailable: ErrorStrings(
            title: "Ahora mismo no podemos responder",
            text: "Una parte de nuestro servicio no está disponible. No se ha perdido nada: espere un momento y vuelva "
                + "a cargar esta página."),
        failure: ErrorStrings(
            title: "Algo salió mal",
            text: "El fallo es nuestro, no suyo. Vuelva a la aplicación e inténtelo de nuevo."),
        forDevelopers: "Para quienes desarrollan la aplicación",
        errorCode: "Error",
        errorDescription: "Descripción",
        requestID: "Número de solicitud")
}
