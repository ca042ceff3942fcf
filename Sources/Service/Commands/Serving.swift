import Bytes
import Configuration
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
    static func run(_ options: Options, startingSandbox start: SandboxStart) -> CommandLineTool.Exit {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Checking.load(options)
        } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        let log = Log(configuration.log)
        for warning in configuration.warnings { log.write(.warning, warning) }
        ProcessLimits.forbidCoreDumps()
        let descriptors = ProcessLimits.raiseDescriptors()
        if descriptors < configuration.server.limits.connections {
            log.write(
                .warning, "the system lets this process open fewer files than server.limits.connections needs",
                ["files": "\(descriptors)", "connections": "\(configuration.server.limits.connections)"])
        }
        let desks: SessionDesks
        let lines: FetchLines
        let callbackKeys: CallbackKeys
        let issuerKeys: KeyDesks
        let server: Server
        do throws(TLSTrust.Failure) {
            lines = try FetchLines(configuration)
            callbackKeys = try CallbackKeys(configuration)
            issuerKeys = try KeyDesks(configuration)
        } catch {
            log.write(.error, "cannot start", ["error": error.description])
            return .failed
        }
        do throws(SessionDesks.Failure) {
            desks = try SessionDesks(configuration, startingSandbox: start)
        } catch {
            log.write(.error, "cannot start", ["error": error.description])
            return .failed
        }
        defer {
            desks.close()
            callbackKeys.close()
            issuerKeys.close()
        }
        if let port = desks.sandboxPort {
            log.write(
                .warning, "the sandbox stands in for the vendor: its credentials open nothing",
                ["sandbox": "127.0.0.1:\(port)"])
        }
        let settings: Server.Settings
        do throws(TLSIdentity.Failure) { settings = try self.settings(configuration) } catch {
            log.write(.error, "cannot start", ["error": error.description])
            return .failed
        }
        let limiter = RateLimiter(identities: configuration.rates.identities)
        do throws(Server.Failure) {
            server = try Server(settings, resolver: Resolver()) { loop in
                try LoopHandler(configuration, desks, lines, callbackKeys, issuerKeys, limiter, loop, log)
            }
        } catch {
            log.write(.error, "cannot start", ["error": error.description])
            return .failed
        }
        let signals = stop(server, on: [SIGTERM, SIGINT, SIGHUP], log)
        for (place, address) in server.addresses.enumerated() {
            let isPublic = place < configuration.server.listen.count
            log.write(.info, isPublic ? "listening" : "listening for admin", ["address": "\(address)"])
        }
        server.run()
        for signal in signals { signal.cancel() }
        log.write(.info, "stopped")
        return .done
    }

    private static func settings(_ configuration: Configuration) throws(TLSIdentity.Failure) -> Server.Settings {
        let from = configuration.server
        let cores = ProcessInfo.processInfo.activeProcessorCount
        var settings = Server.Settings(
            addresses: from.listen.map { SocketAddress($0) }, workers: from.workers == 0 ? cores : from.workers)
        settings.listeners += configuration.admin.listen.map { address in
            var listener = Server.Listener(SocketAddress(address))
            listener.isReserved = true
            listener.isPlain = address.address.isLoopback
            return listener
        }
        settings.reservedConnections = configuration.admin.connections
        settings.identity = try identity(from.tls)
        settings.transport = from.transport.flatMap(TransportKind.init) ?? .standard
        settings.connections = from.limits.connections
        settings.drainTimeout = from.limits.drainTimeout
        settings.limits.requestLine = from.limits.requestLine
        settings.limits.headers = from.limits.headers
        settings.limits.headerCount = from.limits.headerCount
        settings.limits.body = from.limits.body
        settings.limits.headerTimeout = from.limits.headerTimeout
        settings.limits.requestTimeout = from.limits.requestTimeout
        settings.limits.idleTimeout = from.limits.idleTimeout
        return settings
    }

    private static func identity(_ tls: Configuration.TLS?) throws(TLSIdentity.Failure) -> TLSIdentity? {
        guard let tls else { return nil }
        return try TLSIdentity(
            tls.certificates.map { TLSIdentity.Entry(names: $0.names, certificate: $0.certificate) },
            acceptingFrom: tls.clientAuthorities)
    }

    private static func stop(
        _ server: Server, on numbers: [Int32], _ log: Log
    ) -> [any DispatchSourceSignal] {
        // A peer that is gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        return numbers.map { number in
            // Else the system would end the process before Dispatch hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in
                log.write(.info, "stopping")
                server.stop()
            }
            // Only when Dispatch has taken the signal over may anybody be told that the service is there.
            let isRegistered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { @Sendable in isRegistered.signal() }
            source.resume()
            isRegistered.wait()
            return source
        }
    }
}
