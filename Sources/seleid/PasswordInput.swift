import Administration
import Glibc
import Provider

/// Reads a new password: from the terminal without echo, or from standard input. Never from an argument, which other users
/// of the machine could see.
enum PasswordInput {
    static let option = Command.Option.flag("password-stdin", "read the password from standard input (one line)")

    static func read(_ invocation: Invocation) throws -> String {
        let password = try invocation.has("password-stdin") ? fromStandardInput() : fromTerminal()
        if let problem = AccountRules.passwordProblem(password) { throw SystemError("the password \(problem)") }
        return password
    }

    private static func fromStandardInput() throws -> String {
        var text = try Files.readText("-", limit: 4096)
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }  // one Character, both of them
        guard !text.contains(where: \.isNewline) else { throw SystemError("the password must be a single line") }
        return text
    }

    private static func fromTerminal() throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw UsageError("there is no terminal to ask for the password: use --password-stdin")
        }
        defer { close(terminal) }
        // Ended in the middle, we would leave a terminal that shows nothing.
        Signals.block()
        defer { Signals.unblock() }
        let password = try ask("Password: ", terminal)
        guard try ask("Once more: ", terminal) == password else { throw SystemError("the two passwords differ") }
        return password
    }

    private static func ask(_ prompt: String, _ terminal: Int32) throws(SystemError) -> String {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { throw SystemError("cannot use the terminal", errno: errno) }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer {
            tcsetattr(terminal, TCSAFLUSH, &settings)
            _ = write(terminal, "\n", 1)
        }
        _ = write(terminal, prompt, prompt.utf8.count)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            var poller = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            let count = poll(&poller, 1, 100)
            if Signals.isStopPending { throw SystemError("interrupted") }
            guard count > 0 else { continue }
            guard Glibc.read(terminal, &byte, 1) == 1 else { throw SystemError("the terminal was closed") }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
            guard line.count <= 4096 else { throw SystemError("the password is too long") }
        }
        guard let text = String(validating: line, as: UTF8.self) else { throw SystemError("the password is not UTF-8") }
        return text
    }
}
