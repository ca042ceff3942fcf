import Testing

/// Where the service of a test runs, and by what its event loops wait.
///
/// What needs a process (signals, sockets, files, TLS, hand-over, SDKs) is tested over `allCases`; what a socket may
/// matter to, `everywhere`; and what they cannot matter to, `inProcess` alone.
enum Transport: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// In the process of the tests, without a socket, by a clock that the test holds.
    case inProcess
    /// A process of its own.
    case epoll, dispatch

    /// Those of a process.
    #if DISPATCH_ONLY
        static let allCases: [Transport] = [.dispatch]
    #else
        static let allCases: [Transport] = [.epoll, .dispatch]
    #endif

    /// What the configuration says. Where a build has no epoll, Dispatch stands in for it.
    var word: String {
        #if DISPATCH_ONLY
            Transport.dispatch.rawValue
        #else
            rawValue
        #endif
    }

    /// For what a socket may matter to.
    static let everywhere: [Transport] = [.inProcess] + allCases

    var testDescription: String { rawValue }
}
