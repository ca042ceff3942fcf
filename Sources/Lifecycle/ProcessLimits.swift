import CSystem
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The limits that the system puts on the process.
package enum ProcessLimits {
    /// Keeps keys in the process: its memory is not swapped out, no process of the same user may read it, its child processes
    /// gain no privileges, and a trap ends it at once, since Swift's own report would print registers.
    package static func seal() {
        forbidCoreDumps()
        cs_seal()
        Secret.lockMemory()
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
    }

    /// Whether Linux had already sealed the process when it started. It does so where the user cannot read the binary.
    static var wasSealedAtStart: Bool { cs_was_sealed() == 1 }

    /// A dump of the process's memory would have every key in it.
    private static func forbidCoreDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        // Unsafe: limits are locals that the system reads and writes within the call.
        unsafe setrlimit(core, &limit)
    }

    /// Opens /dev/null for standard streams that the process was started without: else what is opened next would
    /// take their numbers, and a client would get the log.
    static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 { _ = unsafe open("/dev/null", O_RDWR) }
    }

    /// Lets the process open as many files and sockets as the system allows it at all.
    /// - Returns: how many that is.
    static func raiseDescriptors() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(files, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        if unsafe setrlimit(files, &limit) != 0 { unsafe getrlimit(files, &limit) }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let (core, files) = (
            __rlimit_resource_t(RLIMIT_CORE.rawValue), __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        )
    #else
        private static let (core, files) = (RLIMIT_CORE, RLIMIT_NOFILE)
    #endif
}
