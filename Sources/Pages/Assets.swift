import HTTP

/// The style sheet and icon that the pages link to; the name holds a hash of the content, so it is cached for good.
public struct Assets: Sendable {
    private let basePath: String

    public init(basePath: String) {
        self.basePath = basePath
    }

    public var routes: [Route] {
        [Asset.styleSheet, Asset.icon].map { $0.route(basePath: basePath) }
    }
}

/// A file that pages link to, kept in the binary.
public struct Asset: Sendable {
    /// Below the base path, e.g. `/assets/style-0123456789abcdef.css`; holds a hash of the content.
    public let path: String
    public let mediaType: String
    public let content: [UInt8]

    /// - Parameters:
    ///   - directory: the path it lives under, e.g. `/assets`.
    ///   - name: e.g. `style`.
    ///   - suffix: e.g. `css`.
    public init(directory: String, name: String, suffix: String, mediaType: String, content: String) {
        self.content = Array(content.utf8)
        self.mediaType = mediaType
        path = "\(directory)/\(name)-\(Self.fingerprint(self.content)).\(suffix)"
    }

    public func route(basePath: String) -> Route {
        let response = Response(
            status: 200,
            headers: Headers([
                ("Content-Type", mediaType),
                ("Cache-Control", "public, max-age=31536000, immutable"),
                ("X-Content-Type-Options", "nosniff"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
                // An icon opened by itself is a document too.
                ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            ]),
            body: content)
        return Route(.get, basePath + path) { _ in response }
    }

    /// FNV-1a, 64 bits, in hexadecimal: tells versions apart, nobody can gain by a collision.
    private static func fingerprint(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    static let styleSheet = Asset(
        directory: "/assets", name: "style", suffix: "css", mediaType: "text/css; charset=utf-8",
        content: styleSheetText)
    static let icon = Asset(
        directory: "/assets", name: "icon", suffix: "svg", mediaType: "image/svg+xml", content: iconText)
}
