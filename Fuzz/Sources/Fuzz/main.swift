import CLibFuzzer
import FuzzTargets
import Glibc

// Fuzz list                                   the names of all targets
// Fuzz TARGET seeds DIRECTORY                 writes what to begin with, and the words (DIRECTORY.words, a dictionary)
// Fuzz TARGET [libFuzzer's options, files]    runs it
//
// One program for all: libFuzzer's own `main` is not used, so the target can be an argument.

func fail(_ message: String) -> Never {
    let line = "Fuzz: \(message)\n"
    _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
    exit(2)
}

func save(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { fail("\(path) cannot be written") }
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWritten else { fail("\(path) cannot be written") }
}

func writeSeeds(of target: FuzzTarget, to directory: String) {
    for (index, seed) in target.seeds.enumerated() { save(seed, to: "\(directory)/seed-\(index)") }
    let lines = target.words.map { word in
        let escaped = word.utf8.map { "\\x\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
        return "\"\(escaped)\"\n"
    }
    save(Array(lines.joined().utf8), to: "\(directory).words")
}

/// Set once, before libFuzzer starts; read by its callback, which cannot capture anything.
nonisolated(unsafe) var target = FuzzTarget.json

let arguments = CommandLine.arguments
if arguments.count == 2, arguments[1] == "list" {
    for target in FuzzTarget.allCases { print(target.rawValue) }
    exit(0)
}
guard arguments.count >= 2, let named = FuzzTarget(rawValue: arguments[1]) else {
    fail("name one of these first: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
}
target = named
if arguments.count == 4, arguments[2] == "seeds" {
    writeSeeds(of: target, to: arguments[3])
    exit(0)
}

// libFuzzer wants argv without the target's name.
var count = CommandLine.argc - 1
var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
pointers?[0] = CommandLine.unsafeArgv[0]
exit(
    LLVMFuzzerRunDriver(&count, &pointers) { bytes, count in
        target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
