/// A token request as somebody has copied it.
public struct TokenRequestText: Sendable {
    /// The form.
    public var body: [UInt8]
    /// The Authorization header fields.
    public var authorization: [String]
    /// nil: taken to be right.
    public var contentType: String?

    public init(body: [UInt8], authorization: [String] = [], contentType: String? = nil) {
        self.body = body
        self.authorization = authorization
        self.contentType = contentType
    }
}
