internal import CArgon2
import Glibc

/// RFC 9106, version 0x13, computed by libargon2 on the calling thread.
enum Argon2id {
    /// The hash of `password` with the salt, the costs and the length of hash that `parameters` has; nil when there is no
    /// memory for it.
    static func hash(_ password: [UInt8], like parameters: PHCString) -> [UInt8]? {
        var password = password
        var salt = parameters.salt
        let count = parameters.hash.count
        let hash = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    context.out = output.baseAddress
                    context.outlen = UInt32(count)
                    context.pwd = password.baseAddress
                    context.pwdlen = UInt32(password.count)
                    context.salt = salt.baseAddress
                    context.saltlen = UInt32(salt.count)
                    context.t_cost = parameters.passes
                    context.m_cost = parameters.memoryKiB
                    context.lanes = parameters.lanes
                    context.threads = parameters.lanes
                    context.version = UInt32(ARGON2_VERSION_13.rawValue)
                    // Straight from and to the kernel: malloc would keep 19 MiB for each thread that ever hashed.
                    context.allocate_cbk = { memory, count in
                        let block = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        guard let block, block != MAP_FAILED else {
                            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
                        }
                        memory?.pointee = block.assumingMemoryBound(to: UInt8.self)
                        return ARGON2_OK.rawValue
                    }
                    context.free_cbk = { memory, count in munmap(memory, count) }
                    let code = argon2_ctx(&context, Argon2_id)
                    switch code {
                    case ARGON2_OK.rawValue: initialized = count
                    case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue, ARGON2_THREAD_FAIL.rawValue: initialized = 0
                    default: fatalError("libargon2 refused checked parameters: \(code)")
                    }
                }
            }
        }
        return hash.isEmpty ? nil : hash
    }
}
