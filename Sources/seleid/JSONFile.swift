import JSON
import Provider

extension JSON {
    /// Reads a file that an option names, or standard input for "-".
    init(file path: String) throws(SystemError) {
        let bytes = try Files.read(path, limit: 1 << 20)
        do { self = try JSON(parsing: bytes) } catch { throw SystemError("\(path): this is not JSON: \(error)") }
    }
}
