extension AuthorizationRequest {
    /// First byte of the form below; another form gets another number, so that nodes of two releases do not misread one
    /// another. Claims came with form 2: a request without them keeps form 1, which the release before knows too.
    private enum Form {
        static let plain: UInt8 = 1
        static let withClaims: UInt8 = 2
    }

    /// A byte form for sealing, and back: one number for each count and length, then UTF-8. It is not meant to be read
    /// by anyone but `init(serialized:)`, and holds what the request held.
    public func serialized() -> [UInt8] {
        var writer = Writer()
        writer.bytes.append(claims.isEmpty ? Form.plain : Form.withClaims)
        writer.bytes.append(prompt.reduce(0) { $0 | $1.bit })
        writer.add(maxAge.map(String.init))
        writer.add(clientID)
        writer.add(redirectURI)
        writer.add(scope)
        writer.add(state)
        writer.add(nonce)
        writer.add(codeChallenge)
        writer.add(loginHint)
        writer.add(idTokenHint)
        writer.add(uiLocales)
        writer.add(acrValues)
        writer.add(display)
        if !claims.isEmpty {
            writer.add(claims.userInfo.map(\.rawValue))
            writer.add(claims.idToken.map(\.rawValue))
            writer.add(claims.subject)
        }
        return writer.bytes
    }

    /// `nil` for bytes that `serialized()` did not make.
    public init?(serialized: [UInt8]) {
        var reader = Reader(bytes: serialized[...])
        guard let form = reader.byte(), form == Form.plain || form == Form.withClaims,
            let promptBits = reader.byte(), promptBits < 1 << Prompt.allCases.count,
            let maxAgeText = reader.optionalString(),
            let clientID = reader.string(),
            let redirectURI = reader.string(),
            let scope = reader.strings(),
            let state = reader.optionalString(),
            let nonce = reader.optionalString(),
            let codeChallenge = reader.optionalString(),
            let loginHint = reader.optionalString(),
            let idTokenHint = reader.optionalString(),
            let uiLocales = reader.strings(),
            let acrValues = reader.strings(),
            let display = reader.optionalString(),
            let claims = form == Form.plain ? ClaimsRequest() : reader.claims(),
            reader.bytes.isEmpty
        else { return nil }
        var maxAge: Int?
        if let text = maxAgeText {
            // Only as `serialized()` writes it, so that each request has one form.
            guard let number = Int(text), String(number).isIdentical(to: text) else { return nil }
            maxAge = number
        }
        self.init(
            clientID: clientID, redirectURI: redirectURI, scope: scope, state: state, nonce: nonce,
            codeChallenge: codeChallenge,
            prompt: Set(Prompt.allCases.filter { promptBits & $0.bit != 0 }), maxAge: maxAge, loginHint: loginHint,
            idTokenHint: idTokenHint, uiLocales: uiLocales, acrValues: acrValues, display: display, claims: claims)
    }

    /// Appends strings with their length plus one before them; a nil is a zero.
    private struct Writer {
        var bytes: [UInt8] = []

        mutating func add(_ number: Int) {
            var rest = UInt(number)
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }

        mutating func add(_ text: String?) {
            guard let text else { return add(0) }
            add(text.utf8.count + 1)
            bytes.append(contentsOf: text.utf8)
        }

        mutating func add(_ texts: [String]) {
            add(texts.count)
            for text in texts { add(text) }
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { bytes.popFirst() }

        /// At most four bytes, the shortest form only.
        mutating func number() -> Int? {
            var value = 0
            for shift in stride(from: 0, to: 28, by: 7) {
                guard let byte = bytes.popFirst() else { return nil }
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
            }
            return nil
        }

        /// The outer nil is a failure.
        mutating func optionalString() -> String?? {
            guard let number = number() else { return nil }
            if number == 0 { return .some(nil) }
            let count = number - 1
            guard count <= bytes.count, let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
                return nil
            }
            bytes.removeFirst(count)
            return text
        }

        mutating func string() -> String? {
            guard let text = optionalString() else { return nil }
            return text
        }

        mutating func strings() -> [String]? {
            guard let count = number(), count <= bytes.count else { return nil }
            var texts: [String] = []
            texts.reserveCapacity(count)
            for _ in 0..<count {
                guard let text = string() else { return nil }
                texts.append(text)
            }
            return texts
        }

        /// Only what is written: each request has one form.
        mutating func claims() -> ClaimsRequest? {
            guard let userInfo = standardClaims(), let idToken = standardClaims(), let subject = optionalString() else {
                return nil
            }
            let claims = ClaimsRequest(userInfo: userInfo, idToken: idToken, subject: subject)
            return claims.isEmpty ? nil : claims
        }

        private mutating func standardClaims() -> [StandardClaim]? {
            guard let names = strings() else { return nil }
            let claims = names.compactMap(StandardClaim.init(rawValue:))
            return claims.count == names.count ? claims : nil
        }
    }
}

extension Prompt {
    /// Part of a stored form: never changes its meaning.
    fileprivate var bit: UInt8 {
        switch self {
        case .none: 1
        case .login: 2
        case .consent: 4
        case .selectAccount: 8
        }
    }
}
