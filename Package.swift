// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6 language mode, warnings are errors.
let common: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: common)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: common)
}

// Imports only point down: each group may use the groups below it.
let package = Package(
    name: "SeleID",
    products: [
        .executable(name: "seleid", targets: ["seleid"]),
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),  // for the package in Fuzz/
    ],
    targets: [
        // Top
        .executableTarget(
            name: "seleid",
            dependencies: [
                "Provider", "Administration", "FaultFinder", "Issuance", "Storage", "OpenID", "JSON", "OpenSSL",
                "Argon2", "Postgres", "EventLoop", "Telemetry", "ASCII",
            ], swiftSettings: common),
        target(
            "Provider",
            [
                "Discovery", "JWKS", "Authorize", "SignIn", "Token", "UserInfo", "Revocation", "SessionContext",
                "Introspection", "Admin", "Demo", "Administration", "FaultFinder", "Interaction",
                "RequestAuthentication", "Issuance", "Storage", "Pages", "OpenID", "JSON", "OpenSSL", "Argon2",
                "HTTP", "Postgres", "EventLoop", "Telemetry", "ASCII", "Migrations",
            ]),
        // Plain SQL, carried inside the binary: one line for each file (see Migrations/Migrations.swift).
        .target(
            name: "Migrations", path: "Migrations",
            resources: [
                .embedInCode("0001_first.sql"), .embedInCode("0002_administration.sql"),
            ], swiftSettings: common),

        // The description that people read is the one that is served: a link in its folder leads to Docs/openapi.yaml.
        .target(
            name: "AdminDescription", resources: [.embedInCode("openapi.yaml")], swiftSettings: common),

        // Features: never import one another
        target("Discovery", ["RequestAuthentication", "OpenID", "JSON", "HTTP"]),
        target("JWKS", ["Issuance", "OpenID", "JOSE", "JSON", "HTTP"]),
        target(
            "Authorize",
            [
                "Interaction", "RequestAuthentication", "Issuance", "Storage", "Pages", "OpenID", "JOSE", "JSON",
                "HTTP", "Postgres",
            ]),
        target(
            "SignIn",
            [
                "Interaction", "RequestAuthentication", "Issuance", "Storage", "Pages", "OpenID", "Argon2", "JSON",
                "HTTP",
            ]),
        target(
            "Token", ["RequestAuthentication", "Issuance", "Storage", "OpenID", "JSON", "OpenSSL", "HTTP", "Postgres"]),
        target("UserInfo", ["RequestAuthentication", "Issuance", "Storage", "OpenID", "JSON", "HTTP"]),
        target("Revocation", ["RequestAuthentication", "Issuance", "Storage", "OpenID", "JSON", "HTTP"]),
        target("SessionContext", ["RequestAuthentication", "Storage", "OpenID", "JSON", "HTTP"]),
        target("Introspection", ["RequestAuthentication", "Issuance", "Storage", "OpenID", "JSON", "HTTP"]),
        target(
            "Admin",
            [
                "AdminDescription", "Administration", "FaultFinder", "RequestAuthentication", "Issuance", "Storage",
                "OpenID", "Argon2", "JSON", "OpenSSL", "HTTP", "Postgres", "Telemetry", "ASCII",
            ]),
        target("Demo", ["Pages", "HTTP"]),

        // Shared by features
        target(
            "Administration",
            ["Issuance", "Storage", "OpenID", "JSON", "Argon2", "Postgres", "Telemetry", "ASCII"]),
        target(
            "RequestAuthentication", ["Issuance", "Storage", "OpenID", "JOSE", "JSON", "HTTP", "OpenSSL", "Postgres"]),
        target(
            "FaultFinder",
            [
                "Interaction", "RequestAuthentication", "Issuance", "Storage", "OpenID", "JOSE", "JSON", "HTTP",
                "Postgres", "Telemetry", "ASCII",
            ]),
        target(
            "Interaction",
            ["RequestAuthentication", "Issuance", "Storage", "Pages", "OpenID", "JSON", "HTTP", "OpenSSL"]),
        target("Issuance", ["Storage", "OpenID", "JOSE", "JSON", "OpenSSL", "Postgres", "EventLoop", "Telemetry"]),
        target("Storage", ["OpenID", "JSON", "Postgres", "EventLoop"]),
        target("Pages", ["OpenID", "HTTP", "ASCII"]),

        // Rules
        target("OpenID", ["JOSE", "JSON", "OpenSSL", "ASCII"]),

        // Ground
        target("JOSE", ["JSON", "OpenSSL"]),
        target("HTTP", ["EventLoop", "OpenSSL", "Telemetry", "JSON", "ASCII"]),
        target("Postgres", ["EventLoop", "Telemetry", "JSON", "CPostgreSQL"]),
        target("Argon2", ["CArgon2", "OpenSSL"]),
        target("OpenSSL", ["COpenSSL", "ASCII"]),
        target("EventLoop", ["CEvent"]),
        target("Telemetry", ["JSON"]),
        target("JSON", ["ASCII"]),
        target("ASCII"),

        // C
        .systemLibrary(name: "CEvent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),

        // Measurements
        .executableTarget(
            name: "LoadGenerator", dependencies: ["EventLoop"], path: "Tests/Bench/LoadGenerator", swiftSettings: common
        ),

        // Tests: one target each, beside what it proves
        .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: common),
        .target(
            name: "TestSupport", dependencies: ["EventLoop", "CPostgreSQL"], path: "Tests/TestSupport",
            swiftSettings: common),
        tests("PostgresTests", ["Postgres", "EventLoop", "Telemetry", "TestSupport"]),
        .target(
            name: "StorageSupport",
            dependencies: ["Storage", "Postgres", "OpenID", "JSON", "EventLoop", "Migrations", "TestSupport"],
            path: "Tests/StorageSupport", swiftSettings: common),
        tests(
            "StorageTests",
            ["Storage", "Postgres", "OpenID", "JSON", "EventLoop", "TestSupport", "StorageSupport"]),
        tests(
            "AdministrationTests",
            ["Administration", "Storage", "Postgres", "OpenID", "JSON", "TestSupport", "StorageSupport"]),
        tests("JSONTests", ["JSON", "SeededRandom"]),
        .target(
            name: "FuzzTargets", dependencies: ["HTTP", "OpenID", "Issuance", "JOSE", "JSON", "OpenSSL"],
            path: "Tests/FuzzTargets", swiftSettings: common),
        tests("FuzzTests", ["FuzzTargets", "SeededRandom"]),
        tests("IssuanceTests", ["Issuance", "JOSE", "SeededRandom"]),
        tests("FaultFinderTests", ["FaultFinder", "Issuance", "Storage", "OpenID", "JOSE", "JSON", "SeededRandom"]),
        tests("InteractionTests", ["Interaction", "OpenID", "Storage", "JSON"]),
        tests("AdminTests", ["Admin", "Storage", "OpenID", "HTTP", "JSON"]),
        tests("SignInTests", ["SignIn"]),
        tests("PagesTests", ["Pages", "OpenID", "HTTP", "SeededRandom"]),
        tests("DemoTests", ["Demo", "HTTP"]),
        tests("HTTPTests", ["HTTP", "EventLoop", "OpenSSL", "COpenSSL", "JSON", "SeededRandom"]),
        tests("OpenIDTests", ["OpenID", "JOSE", "JSON", "SeededRandom"]),
        tests(
            "ProviderTests",
            [
                "Provider", "AdminDescription", "Administration", "seleid", "Migrations", "Issuance", "Storage",
                "OpenID",
                "JSON", "HTTP", "Postgres", "EventLoop", "Telemetry", "SeededRandom", "TestSupport",
            ]),
        tests("OpenSSLTests", ["OpenSSL", "COpenSSL", "SeededRandom"]),
        tests("Argon2Tests", ["Argon2", "CArgon2", "SeededRandom"]),
        tests("TelemetryTests", ["Telemetry", "JSON"]),
        tests("JOSETests", ["JOSE", "JSON", "OpenSSL", "SeededRandom"]),
    ]
)
