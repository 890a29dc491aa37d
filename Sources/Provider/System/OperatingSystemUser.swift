import Glibc

/// The name of the user who runs this process, for the audit record; its number when it has no name.
///
/// Under sudo it is whoever typed it: "root" would not tell one admin from another. `SUDO_USER` is believed of root only.
/// Anybody else can set it to any name; root can pass for anybody in any case.
public func operatingSystemUser() -> String {
    let userID = getuid()
    if userID == 0, let name = currentEnvironment()["SUDO_USER"], !name.isEmpty { return name }
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
