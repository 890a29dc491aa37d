import Glibc

/// The name of the user who runs this process, for the audit record; its number when it has no name.
public func operatingSystemUser() -> String {
    let userID = getuid()
    // The entry points into the memory that getpwuid_r is given.
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { memory -> String? in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard let start = memory.baseAddress, getpwuid_r(userID, &entry, start, memory.count, &found) == 0,
            found != nil
        else { return nil }
        return entry.pw_name.map { String(cString: $0) }
    }
    return name ?? "user \(userID)"
}
