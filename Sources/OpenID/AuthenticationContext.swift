/// How a person can sign in, as ID Tokens say it (`acr`, Core §2).
public enum AuthenticationContext {
    public static let password = "urn:seleid:acr:password"
}
