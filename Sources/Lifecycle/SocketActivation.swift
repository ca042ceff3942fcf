import CSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The listening sockets that the process was started with (sd_listen_fds(3)): by systemd, or by a process of this program that
/// it replaces (`Handover`).
struct SocketActivation {
    /// From 3 on.
    private(set) var sockets: [Int32] = []
    /// The pipe on which this process tells its predecessor that it answers requests.
    private var predecessor: Int32?

    enum Variable: String, CaseIterable {
        case process = "LISTEN_PID"
        case count = "LISTEN_FDS"
        case names = "LISTEN_FDNAMES"
        /// The process that this one is to replace; behind the sockets there is a pipe to it then.
        case predecessor = "COUNTERSIGN_PREDECESSOR"
    }

    static let first: Int32 = 3
    /// The most sockets of a hand-over: the pipe and the file of variables go with them.
    private static let mostSockets = Int32(CS_MOST_HANDED) - 2

    init(_ environment: [String: String]) {
        func number(_ variable: Variable) -> Int32? { environment[variable.rawValue].flatMap { Int32($0) } }
        let parent = number(.predecessor).flatMap { $0 == getppid() ? $0 : nil }
        guard let count = number(.count), (1...SocketActivation.mostSockets).contains(count),
            number(.process) == (parent ?? getpid())
        else { return }
        sockets = Array(SocketActivation.first..<SocketActivation.first + count)
        if parent != nil { predecessor = SocketActivation.first + count }
        // Processes that this one starts must not take them.
        // Unsafe: what is lent to the system here, it reads within the call.
        for variable in Variable.allCases { unsafe unsetenv(variable.rawValue) }
        for descriptor in sockets + (predecessor.map { [$0] } ?? []) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Requests are answered here from now on.
    /// - Returns: whether this process shall go on: a predecessor that has ended meanwhile was told to stop.
    func takeOver() -> Bool {
        guard let predecessor else { return true }
        var word: UInt8 = 1
        let count = unsafe write(predecessor, &word, 1)
        close(predecessor)
        return count == 1
    }
}
