import Audit
import Bytes
import Configuration
import Crypto
import Dispatch
import Gateway
import HTTP
import Machine
import Net
import Telemetry

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The service put together, and run until a signal stops it.
package enum Serving {
    /// How it ended.
    package enum Ending: Sendable, CaseIterable {
        case done, failed, invalidConfiguration

        /// The exit code of `serve`.
        package var exitCode: Int32 {
            switch self {
            case .done: 0
            case .failed: 1
            case .invalidConfiguration: 3
            }
        }
    }

    /// Serves by the configuration in a file.
    package static func run(_ path: String) -> Ending {
        let socketActivation = SocketActivation(ProcessEnvironment.own.visible)
        let systemd = SystemdNotifier(ProcessEnvironment.own.visible)
        switch start(path, socketActivation, systemd) {
        case .failed(let ending): return ending
        case .started(let service):
            defer { service.log.writer.flush(within: lastWords) }
            let isWritten = serve(by: service, socketActivation, systemd)
            service.log.write(.info, "stopped")
            return isWritten ? .done : .failed
        }
    }

    /// Milliseconds that the last lines of the log have to be written: their reader may be busy.
    private static let lastWords = 5000

    /// Milliseconds that those of the audit have, at least.
    private static let lastRecords: Int64 = 1000

    private enum Start {
        case started(StartedService)
        case failed(Ending)
    }

    /// Reads the configuration and puts the service together by it. The caller keeps nothing of the configuration.
    private static func start(
        _ path: String, _ socketActivation: SocketActivation, _ systemd: SystemdNotifier
    ) -> Start {
        let recorder = FileRecorder()
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.checked(path, in: recorder.environment(over: .process))
        } catch {
            complain(of: error)
            return .failed(.invalidConfiguration)
        }
        ProcessLimits.fillStandardStreams()
        // A peer that is gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // So is a write beyond the largest size of a file.
        signal(SIGXFSZ, SIG_IGN)
        let log = Log(configuration.log)
        warn(of: configuration, log)
        do {
            var making = Snapshot.Settings()
            making.files = recorder.files
            let snapshot = try Snapshot(configuration, making)
            return .started(
                try StartedService(
                    snapshot, from: path, on: socketActivation.sockets, systemd, log))
        } catch {
            log.write(.error, "cannot start", ["error": "\(error)"])
            log.writer.flush(within: lastWords)
            return .failed(.failed)
        }
    }

    /// In JSON where that is the log's format, as far as the configuration could be read.
    private static func complain(of error: ConfigurationError) {
        guard let settings = error.log, settings.format == .json else { return Terminal.complain(error.description) }
        let log = Log(settings)
        for problem in error.problems {
            log.write(.error, "cannot start", ["configuration": error.file, "problem": "\(problem)".visible])
        }
        log.writer.flush(within: lastWords)
    }

    private static func warn(of configuration: Configuration, _ log: Log) {
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
    }

    /// - Returns: whether all lines of the audit are written.
    private static func serve(
        by service: StartedService, _ socketActivation: SocketActivation, _ systemd: SystemdNotifier
    ) -> Bool {
        let (server, reloader, audit, log) = (service.server, service.reloader, service.audit, service.log)
        audit?.tell("the audit begins", log)
        let handover = Handover(of: server, log) { process in
            systemd.handedOver(to: process)
            reloader.succeeded()
            server.stop(succeeded: true)
        }
        let watchdog = WatchdogTimer(systemd, service.loops)
        @Sendable func stop() {
            log.write(.info, "stopping")
            systemd.stopping()
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
        for (index, address) in server.addresses.enumerated() {
            let isPublic = index < service.publicAddresses
            log.write(.info, isPublic ? "listening" : "listening for admin", ["address": "\(address)"])
        }
        server.run {
            // A process that this one was to replace goes on then.
            guard !server.isStopping else { return }
            systemd.ready()
            if !socketActivation.takeOver() { stop() }
        }
        for signal in signals { signal.cancel() }
        withExtendedLifetime(watchdog) {}
        defer { service.cluster?.stop() }
        guard let audit else { return true }
        let isWritten = audit.close(within: max(lastRecords, server.timeLeft))
        audit.tell("the audit ends", log)
        if isWritten { return true }
        log.write(.error, "the last lines of the audit are not written", ["file": audit.settings.file])
        return false
    }
}

extension SharedAudit {
    /// Notes how far the lines go on the disk, so that it can be kept elsewhere.
    fileprivate func tell(_ what: String, _ log: Log) {
        let mark = standing.mark
        log.write(
            .info, what,
            ["file": settings.file, "sequence": "\(mark.number)", "head": Hex.encode(mark.head.bytes.array).text])
    }
}

extension Server.Settings {
    init(_ snapshot: Snapshot) {
        let from = snapshot.configuration.server
        let cores = SystemFacts.processors
        self.init(addresses: from.listen.map { SocketAddress($0) }, workers: from.workers == 0 ? cores : from.workers)
        listeners += snapshot.configuration.admin.listen.map { address in
            var listener = Server.Listener(SocketAddress(address))
            listener.isReserved = true
            listener.isPlain = address.isLocal
            return listener
        }
        reservedConnections = snapshot.configuration.admin.connections
        identity = snapshot.identity
        transport = from.transport.flatMap(TransportKind.init) ?? .standard
        limits = from.limits
        proxies = TrustedProxies(from.proxies.blocks, includesLocal: from.proxies.includesLocal)
        usesProxyProtocol = from.proxies.sendsHeader
    }
}
