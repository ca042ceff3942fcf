import Foundation
import TestTraits

/// A process that a test has started, with pipes from what it writes; it never outlives its owner.
final class Program: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How a process ended, and what it said.
    struct Outcome {
        /// The exit code, or 128 and the signal that ended it.
        let code: Int32
        let out: String
        let err: String
    }

    private let child: Child
    private let out: Stream
    private let err: Stream

    var identifier: pid_t { child.identifier }

    /// The service's binary: beside the tests, or the release for a test that no sanitizer can watch.
    static var countersign: String { Unwatched.isNeeded ? unwatched : built }
    private static let built = binary("countersign")
    private static let unwatched = release("countersign") ?? built
    /// The stand-in for the vendors.
    static let sandbox = binary("countersign-sandbox")
    /// The benchmark's. These tests do not depend on it as a target: it would count the test runner's allocations, too. Nor
    /// can it count those of a sanitizer.
    static let benchmark = release("countersign-bench") ?? binary("countersign-bench")

    /// A binary without a sanitizer, where one watches the tests: scripts/test names the folder.
    private static func release(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_RELEASE"].map { "\($0)/\(name)" }
    }

    /// Whether a sanitizer watches these tests and the binaries that they start.
    static let isWatched = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }

    /// A built binary: beside the test bundle, wherever the build folder is.
    private static func binary(_ name: String) -> String {
        let starts = [Bundle.main.executablePath ?? ""] + CommandLine.arguments
        for start in starts where start.contains("/") {
            var folder = URL(filePath: start).standardizedFileURL.deletingLastPathComponent()
            while folder.path.count > 1 {
                let candidate = folder.appending(path: name).path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate)
                {
                    return candidate
                }
                folder.deleteLastPathComponent()
            }
        }
        return "/the/binary/\(name)/is/not/beside/the/tests"
    }

    /// - Parameters:
    ///   - input: a file that is its standard input; without one that is empty.
    ///   - sockets: what it has from descriptor 3 on, and is told of as by systemd.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        input: String = "/dev/null", handing sockets: [Int32] = []
    ) throws {
        var variables = ProcessInfo.processInfo.environment
        variables["COUNTERSIGN_CONFIG"] = nil
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables.merge(environment) { $1 }
        let (out, err) = (try Stream(), try Stream())
        // The shell gives the folder, since posix_spawn has no standard way to.
        var call =
            folder.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0, path] + arguments } ?? [path] + arguments
        if !sockets.isEmpty {
            variables["LISTEN_FDS"] = "\(sockets.count)"
            call = ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh"] + call
        }
        // Above all descriptors that they are meant for.
        let handed = sockets.map { fcntl($0, F_DUPFD_CLOEXEC, 200) }
        defer { for descriptor in handed { close(descriptor) } }
        let source = open(input, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw Failure(description: "cannot read \(input): error \(errno)") }
        defer { close(source) }
        child = Child(
            try Program.spawn(
                call, variables.map { "\($0)=\($1)" },
                [(source, 0), (out.writing, 1), (err.writing, 2)] + handed.enumerated().map { ($1, Int32(3 + $0)) }))
        out.closeWriting()
        err.closeWriting()
        (self.out, self.err) = (out, err)
    }

    deinit { _ = stop(within: 0) }

    /// Runs the built binary to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], folder: String? = nil
    ) throws -> Outcome {
        try Program(countersign, arguments, environment: environment, folder: folder).wait()
    }

    /// Seconds that are too many for whatever is waited for, even where a sanitizer watches and much else runs.
    static let patience = 60.0

    /// Waits for the end; a program that takes longer is ended and is an error.
    func wait(within seconds: Double = patience) throws -> Outcome {
        let deadline = Date.now.addingTimeInterval(seconds)
        while !(out.isAtEnd && err.isAtEnd) {
            guard try Stream.fill([out, err], until: deadline) || deadline > .now else {
                _ = stop(within: 0)
                throw Failure(description: "no end within \(seconds) s; the process said: \(out.text)\(err.text)")
            }
        }
        return outcome()
    }

    /// Reads standard error until it holds `text` so many times.
    func waitForError(holding text: String, times: Int = 1, within seconds: Double = patience) throws -> String {
        try wait(for: text, times: times, in: err, within: seconds)
    }

    /// Reads standard output until it holds `text`.
    func waitForOutput(holding text: String, within seconds: Double = patience) throws -> String {
        try wait(for: text, times: 1, in: out, within: seconds)
    }

    private func wait(for text: String, times: Int, in stream: Stream, within seconds: Double) throws -> String {
        let deadline = Date.now.addingTimeInterval(seconds)
        var search = StreamSearch(text)
        while stream.count(&search) < times {
            guard try Stream.fill([stream], until: deadline) || deadline > .now, !stream.isAtEnd else {
                throw Failure(description: "the process never said \(text), only: \(out.text)\(err.text)")
            }
        }
        return stream.text
    }

    /// What has been read of standard error by now.
    var errorText: String { err.text }

    func signal(_ number: Int32) { child.signal(number) }

    /// Asks it to end, and ends it if it does not within the time.
    func stop(within seconds: Double = patience) -> Outcome {
        if seconds > 0 {
            signal(SIGTERM)
            if let outcome = try? wait(within: seconds) { return outcome }
        }
        signal(SIGKILL)
        return outcome()
    }

    private func outcome() -> Outcome { Outcome(code: child.code(), out: out.text, err: err.text) }

    /// Held while a process is started or a descriptor is not yet marked as not to be inherited.
    private static let spawning = NSLock()

    static func makePipe() throws -> (reading: Int32, writing: Int32) {
        try spawning.withLock {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: error \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }
    }

    /// - Parameter descriptors: what the new process has, and as what; nothing else is inherited.
    static func spawn(_ call: [String], _ variables: [String], _ descriptors: [(Int32, Int32)]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
        // The threads of the test process may have signals blocked, and that would be inherited.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments: [UnsafeMutablePointer<CChar>?] = call.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var identifier: pid_t = 0
        let result = spawning.withLock {
            posix_spawnp(&identifier, call[0], &actions, &attributes, &arguments, &environment)
        }
        guard result == 0 else { throw Failure(description: "cannot start \(call[0]): error \(result)") }
        return identifier
    }
}

/// A process that is waited for from its beginning on. One that has ended and is not asked for would keep Swift Testing's exit
/// tests from hearing of their own: the system tells of it first, again and again.
private final class Child: @unchecked Sendable {
    let identifier: pid_t
    private let condition = NSCondition()
    /// How it ended, as of `waitpid`; guarded by the condition.
    private var status: Int32?

    init(_ identifier: pid_t) {
        self.identifier = identifier
        Thread { self.reap() }.start()
    }

    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.withLock {
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            self.status = status
            condition.broadcast()
        }
    }

    func signal(_ number: Int32) {
        condition.withLock { if status == nil { kill(identifier, number) } }
    }

    /// Waits for the end.
    /// - Returns: the exit code, or 128 and the signal that ended it.
    func code() -> Int32 {
        condition.withLock {
            while true {
                if let status { return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }
                condition.wait()
            }
        }
    }
}

/// One pipe from a process, and what has come through it; tests that run beside each other may read it.
final class Stream: @unchecked Sendable {
    private(set) var writing: Int32
    private let reading: Int32
    private let lock = NSLock()
    /// Guarded by the lock, as the end is.
    private var bytes: [UInt8] = []
    private var hasEnded = false

    var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
    var isAtEnd: Bool { lock.withLock { hasEnded } }

    init() throws {
        (reading, writing) = try Program.makePipe()
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
        closeWriting()
        close(reading)
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Goes on with a search in what has come by now.
    /// - Returns: how often the text was found.
    func count(_ search: inout StreamSearch) -> Int { lock.withLock { search.count(in: bytes) } }

    /// Waits until one of the pipes has something or the time is over, and takes it. No longer than half a second at once: another test
    /// that reads the same pipe may have taken what this one waits for.
    /// - Returns: whether one had.
    static func fill(_ streams: [Stream], until deadline: Date) throws -> Bool {
        let open = streams.filter { !$0.isAtEnd }
        guard !open.isEmpty else { return false }
        var waits = open.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
        let time = min(500, max(0, deadline.timeIntervalSinceNow * 1000))
        guard poll(&waits, nfds_t(waits.count), Int32(time)) >= 0 || errno == EINTR else {
            throw Program.Failure(description: "cannot wait: error \(errno)")
        }
        for (stream, wait) in zip(open, waits) where wait.revents != 0 { stream.take() }
        return waits.contains { $0.revents != 0 }
    }

    private func take() {
        lock.withLock {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(reading, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] } else { hasEnded = count == 0 || errno != EAGAIN }
        }
    }
}

/// Where a search for a text is in bytes to which others are added.
struct StreamSearch {
    private let text: Data
    private var position = 0
    private var found = 0

    init(_ text: String) { self.text = Data(text.utf8) }

    /// Looks at what was added since the last time.
    /// - Returns: how often the text was found, without overlaps.
    mutating func count(in bytes: [UInt8]) -> Int {
        let rest = Data(bytes[position...])
        var end = 0
        while let range = rest.range(of: text, in: end..<rest.count) {
            end = range.upperBound
            found += 1
        }
        position += max(end, rest.count - text.count + 1)
        return found
    }
}
