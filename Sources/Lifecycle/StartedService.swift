import Configuration
import Gateway
import Net
import Telemetry

/// What serves, put together by the first configuration. Only the reloader and the loops hold that, so that it is gone, and its
/// secrets are wiped, when another has replaced it.
struct StartedService {
    let server: Server
    let loops: [LoopHandler]
    let reloader: Reloader
    let audit: SharedAudit?
    /// Nil for a service that is alone.
    let cluster: ClusterMember?
    let log: Log
    /// How many of the server's addresses are for callers; the others are for those who run the service.
    let publicAddresses: Int

    /// - Parameters:
    ///   - path: where its configuration is.
    ///   - sockets: listening sockets that another process has opened.
    init(
        _ snapshot: Snapshot, from path: String, on sockets: [Int32], _ systemd: SystemdNotifier, _ log: Log
    ) throws {
        let configuration = snapshot.configuration
        let audit = configuration.audit.map { SharedAudit($0, log) }
        let identities = configuration.rates.identities
        let cluster = try configuration.cluster.map { settings in
            try ClusterMember(settings, identities: identities, auditing: audit, braking: snapshot.brakes, log)
        }
        let shared =
            cluster.map { ProcessResources(Metrics(), auditing: audit, among: $0) }
            ?? ProcessResources(RateLimiter(identities: identities), Metrics(), auditing: audit)
        var loops: [LoopHandler] = []
        var settings = Server.Settings(snapshot)
        settings.handed = sockets
        server = try Server(settings, resolver: Resolver()) { loop in
            let handler = try LoopHandler(snapshot, shared, loop)
            loops.append(handler)
            return handler
        }
        // No loop runs yet: where this fails, nobody has been taken from a socket that another process has, too.
        try audit?.open()
        snapshot.brakes?.watch()
        try cluster?.start()
        self.loops = loops
        self.audit = audit
        self.cluster = cluster
        self.log = log
        publicAddresses = configuration.server.listen.count
        reloader = Reloader(snapshot, from: path, on: server, loops, systemd)
    }
}
