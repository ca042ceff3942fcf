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

/// Starts another process of the program, its successor, and ends this one when the successor answers requests. The successor
/// gets the open listening sockets, so that no connection is refused. From any thread.
final class Handover: Sendable {
    private let program: String
    private let server: Server
    private let log: Log
    private let then: @Sendable (pid_t) -> Void
    private let queue = DispatchQueue(label: "countersign.handover")
    /// Waits until the successor answers requests.
    private let waiting = DispatchQueue(label: "countersign.handover.waiting")
    /// Waits for the end of a successor that will not answer.
    private let reaping = DispatchQueue(label: "countersign.handover.reaping")
    // Unsafe: on the queue only.
    @safe private nonisolated(unsafe) var successor: pid_t?
    @safe private nonisolated(unsafe) var isForbidden = false

    /// - Parameter then: called when the successor answers requests.
    init(of server: Server, _ log: Log, then: @escaping @Sendable (pid_t) -> Void) {
        program = Handover.path(of: ProcessArguments.all.first ?? "")
        self.server = server
        self.log = log
        self.then = then
    }

    /// The service ends: no hand-over begins after this, and a successor that has not taken over ends, too.
    func forbid() {
        queue.sync {
            isForbidden = true
            if let successor { kill(successor, SIGTERM) }
        }
    }

    func begin() {
        queue.async { [self] in
            guard successor == nil, !isForbidden else { return }
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
            awaitAnswer(of: result, on: ends[0])
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
        // The supervisor watches the successor then.
        environment["WATCHDOG_PID"] = nil
        // Unsafe: copies that only the call reads, and that are freed behind it.
        var arguments = unsafe ([program] + ProcessArguments.all.dropFirst()).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        return unsafe cs_spawn(program, &arguments, &variables, descriptors, Int32(descriptors.count))
    }

    /// Waits for the one byte that says that the successor answers requests; if the pipe ends without it, the successor never will.
    /// The read blocks: when a pipe ends, libdispatch may look at a read source that it has let go of already.
    private func awaitAnswer(of process: pid_t, on pipe: Int32) {
        successor = process
        waiting.async { [self] in
            var byte: UInt8 = 0
            var count = unsafe read(pipe, &byte, 1)
            while count < 0, errno == EINTR { count = unsafe read(pipe, &byte, 1) }
            close(pipe)
            let isTaken = count == 1
            queue.async { [self] in conclude(process, isTaken) }
        }
    }

    private func conclude(_ process: pid_t, _ isTaken: Bool) {
        guard !isForbidden else {
            // The first signal may have come before the successor had its handler.
            if isTaken { kill(process, SIGTERM) }
            return
        }
        successor = nil
        guard isTaken else {
            return reaping.async { [log] in
                var status: Int32 = 0
                unsafe waitpid(process, &status, 0)
                let (number, isKilled) = ((status >> 8) & 0xFF, status & 0x7F != 0)
                log.write(
                    .error, "not handed over, this process goes on",
                    [
                        "process": "\(process)", isKilled ? "signal" : "exit": "\(isKilled ? status & 0x7F : number)",
                        "reason": isKilled ? "the new process was killed" : Handover.reason(ofExit: number),
                    ])
            }
        }
        isForbidden = true
        log.write(.info, "handed over", ["process": "\(process)"])
        then(process)
    }

    /// What the new process has ended with; its own lines in the log, right before, say more.
    private static func reason(ofExit number: Int32) -> String {
        switch Serving.Ending.allCases.first(where: { $0.exitCode == number }) {
        case .invalidConfiguration?: "the new process cannot use the configuration; its own log lines say why"
        case .failed?: "the new process cannot start; its own log lines say why"
        case .done?: "the new process was told to stop"
        case nil: "the new process ended before it answered"
        }
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
