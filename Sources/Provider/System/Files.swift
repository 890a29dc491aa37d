import Glibc

/// Why something around files, processes or the network of this machine did not work, in words for an operator.
public struct SystemError: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// `what: reason`, with the reason from errno.
    public init(_ what: String, errno code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
    }
}

/// Small files, read and written in one go.
public enum Files {
    /// Reads a regular file, or standard input for "-".
    /// - Throws: `SystemError` naming the file; also when it is larger than `limit` bytes.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if path == "-" { return try readAll(0, name: "standard input", limit: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("cannot read \(path)", errno: errno) }
        defer { close(descriptor) }
        return try readAll(descriptor, name: path, limit: limit)
    }

    /// Reads text. - Throws: also when it is not UTF-8.
    public static func readText(_ path: String, limit: Int) throws(SystemError) -> String {
        guard let text = String(validating: try read(path, limit: limit), as: UTF8.self) else {
            throw SystemError("cannot read \(path): it is not UTF-8 text")
        }
        return text
    }

    private static func readAll(_ descriptor: Int32, name: String, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw SystemError("cannot read \(name)", errno: errno)
            }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw SystemError("cannot read \(name): it is larger than \(limit) bytes")
            }
        }
    }

    /// Writes a whole file under another name and renames it, so that nobody ever sees half of it.
    public static func write(_ text: String, to path: String, mode: mode_t) throws(SystemError) {
        let temporary = "\(path).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw SystemError("cannot write \(temporary)", errno: errno) }
        defer { close(descriptor) }
        guard fchmod(descriptor, mode) == 0, writeAll(descriptor, Array(text.utf8)), fsync(descriptor) == 0,
            rename(temporary, path) == 0
        else {
            let code = errno
            unlink(temporary)
            throw SystemError("cannot write \(path)", errno: code)
        }
    }

    /// - Returns: false with errno set when the descriptor takes no more.
    @discardableResult
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }

    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Owner, mode and kind; nil when there is nothing.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Like `mkdir -p`; the last folder gets `mode` when it is made now.
    public static func makeDirectory(_ path: String, mode: mode_t) throws(SystemError) {
        if mkdir(path, mode) == 0 {
            chmod(path, mode)  // whatever the umask says
            return
        }
        let code = errno
        if code == EEXIST, let status = status(path), status.st_mode & S_IFMT == S_IFDIR { return }
        if code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectory(String(path[..<slash]), mode: 0o755)
            try makeDirectory(path, mode: mode)
            return
        }
        throw SystemError("cannot make the directory \(path)", errno: code)
    }

    /// The absolute path without symbolic links, of something that exists.
    public static func realPath(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError("cannot find \(path)", errno: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Names in a directory, sorted; none when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a directory and what is in it; follows no symbolic link.
    static func removeTree(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in names(in: path) { removeTree("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

/// Writes text to standard output, at once, also into a pipe.
public func printOut(_ text: String) { Files.writeAll(1, Array(text.utf8)) }

/// Writes text to standard error.
public func printError(_ text: String) { Files.writeAll(2, Array(text.utf8)) }
