// swift-tools-version: 6.2
import PackageDescription

/// libFuzzer around the targets in ../Tests/FuzzTargets. Built by `./run`, which switches on the sanitizers for every
/// module, SeleID's own included: that is what coverage comes from.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "SeleID", path: "..")],
    targets: [
        .executableTarget(
            name: "Fuzz", dependencies: ["CLibFuzzer", .product(name: "FuzzTargets", package: "SeleID")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)],
            // The default linker (gold) cannot take AddressSanitizer together with debug information.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
        .target(name: "CLibFuzzer"),
    ]
)
