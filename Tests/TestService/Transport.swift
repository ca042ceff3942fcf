import Testing

/// Where the service of a test runs, and by what its event loops wait.
///
/// A test of connections (their bytes, limits, order, load and end) runs over `allCases`. One that needs a process for another
/// reason (signals, files, SDKs, vendors) runs over `epoll`, for which Dispatch stands in where a build has no epoll:
/// `scripts/test --dispatch` runs each test that way. What a socket alone may matter to runs `everywhere`, all else `inProcess`.
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

    /// In process, too.
    static let everywhere: [Transport] = [.inProcess] + allCases

    var testDescription: String { rawValue }
}
