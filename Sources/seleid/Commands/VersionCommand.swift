import Provider

enum VersionCommand {
    static let version = "0.1.0"

    static let command = Command("version", summary: "Print the version.") { _ in printOut("seleid \(version)\n") }
}
