import Foundation
import JSON
import SeededRandom
import Testing

@testable import OpenID

/// Reads metadata that has to be right.
func client(_ json: String, _ location: SourceLocation = #_sourceLocation) throws -> ClientMetadata {
    switch ClientMetadata.validate(try JSON(parsing: Array(json.utf8))) {
    case .success(let client): return client
    case .failure(let problems):
        Issue.record("\(problems)", sourceLocation: location)
        throw problems
    }
}

/// What is wrong with metadata: `field` of each problem with its reason.
func problems(_ json: String) throws -> [String] {
    switch ClientMetadata.validate(try JSON(parsing: Array(json.utf8))) {
    case .success: []
    case .failure(let problems): problems.all.map(\.description)
    }
}

func parameters(_ text: String) throws -> Parameters {
    try Parameters(formEncoded: text.utf8)
}

/// The fixtures that the bug log's inputs name.
enum Fixture {
    static func web1() throws -> ClientMetadata {
        try client(
            """
            {"client_id": "web1", "client_name": "Web One", "sign_in": true,
             "grant_types": ["authorization_code", "refresh_token"],
             "redirect_uris": ["https://rp.example/cb"],
             "scope": "openid profile email address phone offline_access"}
            """)
    }

    static func web2() throws -> ClientMetadata {
        try client(
            """
            {"client_id": "web2", "client_name": "Web Two", "sign_in": true, "profile": "oidc",
             "token_endpoint_auth_method": "client_secret_post",
             "redirect_uris": ["https://rp2.example/cb?tenant=7"], "scope": "openid email"}
            """)
    }

    static func app1() throws -> ClientMetadata {
        try client(
            """
            {"client_id": "app1", "client_name": "App One", "sign_in": true, "application_type": "native",
             "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
             "redirect_uris": ["com.example.app:/cb", "https://app.example/oauth/cb", "http://127.0.0.1/cb", "http://[::1]/cb"],
             "scope": "openid profile offline_access"}
            """)
    }

    /// A confidential client of the standard's own profile, as the certification tests register it.
    static func conf1() throws -> ClientMetadata {
        try client(
            """
            {"client_id": "conf1", "client_name": "Conformance", "sign_in": true, "profile": "oidc",
             "grant_types": ["authorization_code", "refresh_token"],
             "redirect_uris": ["https://rp.example/cb"],
             "scope": "openid profile email address phone offline_access"}
            """)
    }

    /// RFC 7636 App. B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
}

/// Whether the text may stand in `error_description` (RFC 6749 §4.1.2.1).
func isDescription(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
}

extension SeededGenerator {
    /// One to four random changes: a byte changed, removed, added, doubled, or a piece of another input put in.
    mutating func mutate(_ bytes: [UInt8], with others: [[UInt8]]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
            case 3: bytes.insert("%&=+:@/?#[]. \\\0\n".utf8.randomElement(using: &self) ?? 0, at: place)
            case 4:
                let end = Int.random(in: place...bytes.count, using: &self)
                bytes.insert(contentsOf: bytes[place..<end].prefix(64), at: place)
            default:
                let other = others.randomElement(using: &self) ?? []
                let start = Int.random(in: 0...other.count, using: &self)
                bytes.insert(contentsOf: other[start...].prefix(32), at: place)
            }
        }
        return Array(bytes.prefix(4096))
    }
}

/// Calls `body` with mutations of the inputs: a fixed number in the normal run, or for as long as
/// `SELEID_FUZZ_SECONDS` says (then from a new seed, which a failure names).
func fuzz(_ inputs: [String], rounds: Int = 20_000, _ body: ([UInt8]) throws -> Void) rethrows {
    let inputs = inputs.map { Array($0.utf8) }
    try fuzz(bytes: inputs, rounds: rounds, body)
}

func fuzz(bytes inputs: [[UInt8]], rounds: Int = 20_000, _ body: ([UInt8]) throws -> Void) rethrows {
    for input in inputs { try body(input) }
    let seconds = ProcessInfo.processInfo.environment["SELEID_FUZZ_SECONDS"].flatMap(Double.init)
    let seed: UInt64 = seconds == nil ? 20_250_714 : UInt64.random(in: 0 ... .max)
    if seconds != nil { print("fuzzing from seed \(seed)") }
    let end = seconds.map { Date().addingTimeInterval($0) }
    var generator = SeededGenerator(seed: seed)
    var pool = inputs
    var round = 0
    while end.map({ Date() < $0 }) ?? (round < rounds) {
        let mutated = generator.mutate(pool.randomElement(using: &generator) ?? [], with: inputs)
        try body(mutated)
        // Some results become inputs, so that changes add up; the first ones always stay.
        if pool.count < 200 {
            pool.append(mutated)
        } else if round % 16 == 0 {
            pool[Int.random(in: inputs.count..<pool.count, using: &generator)] = mutated
        }
        round += 1
    }
}
