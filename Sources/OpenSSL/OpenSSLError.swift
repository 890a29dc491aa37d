internal import COpenSSL

/// What libcrypto itself said; never shown to a client.
public struct OpenSSLError: Error, CustomStringConvertible {
    public let description: String
    public init(description: String) { self.description = description }

    /// What failed, and the first reason in this thread's error queue, which is emptied.
    init(_ what: String) {
        let code = ERR_peek_error()
        ERR_clear_error()
        if code != 0, let reason = ERR_reason_error_string(code) {
            description = "\(what): \(String(cString: reason))"
        } else {
            description = what
        }
    }
}
