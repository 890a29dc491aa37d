import Glibc

/// A program started with posix_spawn, as its own process group, in `/`, with no signal blocked or ignored.
///
/// Its own group, so that Ctrl-C in a terminal reaches us only, and we end the child when we no longer need it.
struct Subprocess {
    let processID: pid_t

    /// - Parameters:
    ///   - output: the descriptor that becomes its standard output and error.
    ///   - input: what it reads from standard input: nothing (`/dev/null`) or a descriptor.
    static func start(
        _ arguments: [String], environment: [String], input: Int32? = nil, output: Int32
    ) throws(SystemError) -> Subprocess {
        guard let program = arguments.first else { throw SystemError("no program to start") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        // The child's user may not be able to enter where we are. For a moment this is our own directory too: nobody
        // opens relative paths meanwhile, since `dev` makes all its paths absolute first.
        let here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        chdir("/")
        defer {
            fchdir(here)
            close(here)
        }

        var processID: pid_t = 0
        let code = withCStrings(arguments) { argumentVector in
            withCStrings(environment) { environmentVector in
                posix_spawn(&processID, program, &actions, &attributes, argumentVector, environmentVector)
            }
        }
        guard code == 0 else { throw SystemError("cannot start \(program)", errno: code) }
        return Subprocess(processID: processID)
    }

    /// Waits for the end. - Returns: whether it exited with 0.
    func wait() -> Bool {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 { if errno != EINTR { return false } }
        return status == 0
    }

    /// Whether it has ended; takes its status if so. Not again afterwards: the number may be another's.
    func hasEnded() -> Bool { waitpid(processID, nil, WNOHANG) != 0 }

    /// Waits for the end, but not longer than `patience`. - Returns: whether it has ended.
    func hasEnded(within patience: Duration) -> Bool {
        let deadline = ContinuousClock.now + patience
        while !hasEnded() {
            if ContinuousClock.now > deadline { return false }
            usleep(2000)
        }
        return true
    }

    func signal(_ number: Int32) { kill(processID, number) }
}

/// Calls `body` with a NULL-terminated vector of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let vector = copies + [nil]
    return vector.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("holds at least the closing NULL") }
        return body(base)
    }
}
