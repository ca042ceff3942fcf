import Bytes
import Configuration
import Crypto
import Dispatch
import FoundationEssentials
import HTTP
import Net
import Telemetry

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign serve`: everything put together, run until somebody asks it to stop.
enum Serving {
    static func run(_ options: Options, startingSandbox start: @escaping SandboxStart) -> CommandLineTool.Exit {
        let inheritance = Inheritance(ProcessInfo.processInfo.environment)
        let recorder = FileRecorder()
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Checking.load(options.configuration, in: recorder.surroundings(over: .process))
        } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        ProcessLimits.fillStandardStreams()
        // A peer that is gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let log = Log(configuration.log)
        defer { log.writer.flush(within: lastWords) }
        for warning in configuration.warnings { log.write(.warning, warning) }
        #if os(Linux)
            if !ProcessLimits.wasSealedAtStart, geteuid() != 0 {
                log.write(
                    .info,
                    "until it had sealed itself, other processes of the same user could read its memory; "
                        + "have the binary belong to root, with mode 0711")
            }
        #endif
        let descriptors = ProcessLimits.raiseDescriptors()
        if descriptors < configuration.server.limits.connections {
            log.write(
                .warning, "the system lets this process open fewer files than server.limits.connections needs",
                ["files": "\(descriptors)", "connections": "\(configuration.server.limits.connections)"])
        }
        do {
            var making = Edition.Settings()
            making.files = recorder.files
            let edition = try Edition(configuration, making, startingSandbox: start)
            if let port = edition.accounts.sandboxPort {
                log.write(
                    .warning, "the sandbox stands in for the vendor: its credentials open nothing",
                    ["sandbox": "127.0.0.1:\(port)"])
            }
            let isWritten = try serve(
                by: edition, from: options.configuration, inheritance, log, startingSandbox: start)
            log.write(.info, "stopped")
            return isWritten ? .done : .failed
        } catch {
            log.write(.error, "cannot start", ["error": "\(error)"])
            return .failed
        }
    }

    /// Milliseconds that the last lines of the log have to be written: whoever reads them may be busy.
    private static let lastWords = 5000

    /// Milliseconds that those of the audit have, at least.
    private static let lastRecords: Int64 = 1000

    /// - Returns: whether all lines of the audit are written.
    private static func serve(
        by edition: Edition, from path: String, _ inheritance: Inheritance, _ log: Log,
        startingSandbox start: @escaping SandboxStart
    ) throws -> Bool {
        let supervisor = Supervisor(ProcessInfo.processInfo.environment)
        // More than a file may have is an error of the write, not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        let audit = edition.configuration.audit.map { AuditDesk($0, log) }
        let limiter = RateLimiter(identities: edition.configuration.rates.identities)
        let metrics = Metrics()
        var loops: [LoopHandler] = []
        var settings = Server.Settings(edition)
        settings.handed = inheritance.sockets
        let server = try Server(settings, resolver: Resolver()) { loop in
            let handler = try LoopHandler(edition, limiter, metrics, loop, auditing: audit)
            loops.append(handler)
            return handler
        }
        // No loop runs yet: where this fails, nobody has been taken from a socket that another process has, too.
        try audit?.open()
        audit?.tell("the audit begins", log)
        let reloader = Reloader(edition, from: path, on: server, loops, supervisor, startingSandbox: start)
        let handover = Handover(of: server, log) { process in
            supervisor.handedOver(to: process)
            reloader.succeeded()
            server.stop(succeeded: true)
        }
        let heartbeat = Heartbeat(supervisor, loops)
        @Sendable func stop() {
            log.write(.info, "stopping")
            supervisor.stopping()
            handover.forbid()
            server.stop()
        }
        var signals = [SIGTERM, SIGINT].map { number in
            Signals.take(number) { stop() }
        }
        signals.append(Signals.take(SIGHUP) { reloader.reload() })
        signals.append(Signals.take(SIGUSR2) { handover.begin() })
        // Without an audit it is not the end of the process either.
        signals.append(Signals.take(SIGUSR1) { audit?.rotate() })
        for (place, address) in server.addresses.enumerated() {
            let isPublic = place < edition.configuration.server.listen.count
            log.write(.info, isPublic ? "listening" : "listening for admin", ["address": "\(address)"])
        }
        server.run {
            // Whose place it was to take, if any, goes on then.
            guard !server.isStopping else { return }
            supervisor.ready()
            if !inheritance.takeOver() { stop() }
        }
        for signal in signals { signal.cancel() }
        withExtendedLifetime(heartbeat) {}
        guard let audit else { return true }
        let isWritten = audit.close(within: max(lastRecords, server.timeLeft))
        audit.tell("the audit ends", log)
        if isWritten { return true }
        log.write(.error, "the last lines of the audit are not written", ["file": audit.settings.file])
        return false
    }
}

extension AuditDesk {
    /// Notes how far the lines go on the disk, so that it can be kept elsewhere.
    fileprivate func tell(_ what: String, _ log: Log) {
        let mark = standing.mark
        log.write(
            .info, what,
            ["file": settings.file, "sequence": "\(mark.number)", "head": Hex.encode(mark.head.bytes.array).text])
    }
}

/// What the system tells the process.
enum Signals {
    /// Has `body` run whenever a signal comes, from when this returns until the source is cancelled.
    static func take(_ number: Int32, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        // Else the system would end the process before Dispatch hears of it.
        signal(number, SIG_IGN)
        // Not on a global queue, here and elsewhere: Dispatch watches its threads by /proc, and ends a process without.
        let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "countersign.signal"))
        source.setEventHandler { @Sendable in body() }
        // Only when Dispatch has taken the signal over may anybody be told that the service is there.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { @Sendable in isRegistered.signal() }
        source.resume()
        isRegistered.wait()
        return source
    }
}

extension Server.Settings {
    init(_ edition: Edition) {
        let from = edition.configuration.server
        let cores = ProcessInfo.processInfo.activeProcessorCount
        self.init(addresses: from.listen.map { SocketAddress($0) }, workers: from.workers == 0 ? cores : from.workers)
        listeners += edition.configuration.admin.listen.map { address in
            var listener = Server.Listener(SocketAddress(address))
            listener.isReserved = true
            listener.isPlain = address.isLocal
            return listener
        }
        reservedConnections = edition.configuration.admin.connections
        identity = edition.identity
        transport = from.transport.flatMap(TransportKind.init) ?? .standard
        limits = from.limits
        proxies = TrustedProxies(from.proxies.blocks, includesLocal: from.proxies.includesLocal)
        usesProxyProtocol = from.proxies.sendsHeader
    }
}
