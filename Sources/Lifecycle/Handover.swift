import CSystem
import Dispatch
import Machine
import Net
import Telemetry

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Has another process of the program replace this one, which ends when that answers: the listening sockets are
/// handed over as they are, so that nobody who connects is refused. From any thread.
final class Handover: Sendable {
    private let program: String
    private let server: Server
    private let log: Log
    private let then: @Sendable (pid_t) -> Void
    private let queue = DispatchQueue(label: "countersign.handover")
    /// Where the other process is waited for.
    private let patience = DispatchQueue(label: "countersign.handover.patience")
    /// Where the end is waited for of one that will not answer.
    private let farewell = DispatchQueue(label: "countersign.handover.farewell")
    // Unsafe: on the queue only.
    @safe private nonisolated(unsafe) var heir: pid_t?
    @safe private nonisolated(unsafe) var isForbidden = false

    /// - Parameter then: called when the other process answers requests.
    init(of server: Server, _ log: Log, then: @escaping @Sendable (pid_t) -> Void) {
        program = Handover.path(of: ProcessArguments.all.first ?? "")
        self.server = server
        self.log = log
        self.then = then
    }

    /// The service is to end: nothing is begun after this, and a process that was about to replace this one ends, too.
    func forbid() {
        queue.sync {
            isForbidden = true
            if let heir { kill(heir, SIGTERM) }
        }
    }

    func begin() {
        queue.async { [self] in
            guard heir == nil, !isForbidden else { return }
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { return complain("no pipe", errno) }
            _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
            let environment = ProcessEnvironment.own.makeSealedFile()
            let result = environment < 0 ? environment : start(with: server.sockets, ends[1], environment)
            for descriptor in [ends[1], environment] where descriptor >= 0 { close(descriptor) }
            guard result > 0 else {
                close(ends[0])
                return complain(program, -result)
            }
            log.write(.info, "handing over", ["process": "\(result)"])
            awaitWord(of: result, on: ends[0])
        }
    }

    /// - Parameter file: the variables that the environment must not show.
    private func start(with sockets: [Int32], _ pipe: Int32, _ file: Int32) -> pid_t {
        let descriptors = sockets + [pipe, file]
        var environment = ProcessEnvironment.own.visible
        environment[SocketActivation.Variable.names.rawValue] = nil
        environment[SocketActivation.Variable.count.rawValue] = "\(sockets.count)"
        environment[ProcessEnvironment.descriptorName] = "\(SocketActivation.first + Int32(descriptors.count) - 1)"
        for variable in [SocketActivation.Variable.process, .predecessor] {
            environment[variable.rawValue] = "\(getpid())"
        }
        // It is the one that is watched then.
        environment["WATCHDOG_PID"] = nil
        // Unsafe: copies that only the call reads, and that are freed behind it.
        var arguments = unsafe ([program] + ProcessArguments.all.dropFirst()).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        return unsafe cs_spawn(program, &arguments, &variables, descriptors, Int32(descriptors.count))
    }

    /// Waits for the one byte that says that the process answers; the end without it says that it never will. By a blocking
    /// read: when a pipe ends, libdispatch may look at a read source that it has let go of already.
    private func awaitWord(of process: pid_t, on pipe: Int32) {
        heir = process
        patience.async { [self] in
            var word: UInt8 = 0
            var count = unsafe read(pipe, &word, 1)
            while count < 0, errno == EINTR { count = unsafe read(pipe, &word, 1) }
            close(pipe)
            let isTaken = count == 1
            queue.async { [self] in conclude(process, isTaken) }
        }
    }

    private func conclude(_ process: pid_t, _ isTaken: Bool) {
        guard !isForbidden else {
            // It may not have had its ear for signals yet when it was told.
            if isTaken { kill(process, SIGTERM) }
            return
        }
        heir = nil
        guard isTaken else {
            return farewell.async { [log] in
                var status: Int32 = 0
                unsafe waitpid(process, &status, 0)
                log.write(.error, "not handed over, this process goes on", ["process": "\(process)"])
            }
        }
        isForbidden = true
        log.write(.info, "handed over", ["process": "\(process)"])
        then(process)
    }

    private func complain(_ what: String, _ number: Int32) {
        log.write(
            .error, "not handed over, this process goes on",
            ["reason": unsafe "\(what): \(String(cString: strerror(number)))"]
        )
    }

    /// The path that the process was started by, which may lead to another version by now; the binary's own where there was none.
    private static func path(of name: String) -> String {
        if name.utf8.contains(UInt8(ascii: "/")) {
            return name.utf8.first == UInt8(ascii: "/") ? name : (SystemFacts.folder ?? "") + "/" + name
        }
        return SystemFacts.program ?? name
    }
}
