import Administration
import JSON

extension ApplyFile {
    /// Ten thousand clients or so; more belongs into several files.
    private static let sizeLimit = 64 << 20

    /// Reads and checks a file, or standard input for "-".
    /// - Throws: `SystemError` or `Problems`.
    public static func read(_ path: String) throws -> ApplyFile {
        let bytes = try Files.read(path, limit: sizeLimit)
        let name = path == "-" ? "standard input" : path
        do {
            return try parse(try JSON(parsing: bytes), file: name)
        } catch let error as JSON.SyntaxError {
            throw Problems(file: name, all: ["this is not JSON: \(error)"])
        }
    }
}
