import Bytes
import Cluster
import Configuration
import Foundation
import HTTP
import Machine
import Telemetry

@testable import Net
@testable import Gateway
@testable import Lifecycle

/// A service without a process: put together as `serve` does, with one event loop that never runs. The bytes of its connections
/// go through HTTP's own `ServerConnection` to the loop's handler; the test holds the clock, and stands in for the vendors.
///
/// Tests that run beside each other may share it.
final class InProcessService: @unchecked Sendable {
    let clock: TestClock
    private let lock = NSLock()
    // All that follows is guarded by the lock.
    private let log: LogFile
    private let vendors: FakeVendors
    private let shared: ProcessResources
    private let handler: LoopHandler
    private let loop: LoopAccess
    /// The loop belongs to it.
    private let server: Server
    private var snapshot: Snapshot
    private var settings: Server.Settings
    private var context: ServerConnection.Context
    private var connections: [UInt64: Connection] = [:]
    private var lastToken: UInt64 = 0
    private var lastSweep: Int64 = 0

    /// Milliseconds between two looks for what is due, as in an event loop.
    private static let sweepInterval: Int64 = 250

    /// One client's connection.
    final class Connection {
        fileprivate let token: UInt64
        fileprivate var http: ServerConnection
        fileprivate var next = ServerConnection.Next.read
        /// What the client has not read yet.
        fileprivate var out: [UInt8] = []

        fileprivate init(_ http: consuming ServerConnection, token: UInt64) {
            self.token = token
            self.http = http
        }

        fileprivate var isOver: Bool { next == .close || next == .linger }
    }

    init(_ setup: Setup, _ environment: [String: String]) throws {
        let clock = TestClock()
        let log = try LogFile()
        let vendors = FakeVendors(FakeSandbox(by: clock))
        (self.clock, self.log, self.vendors) = (clock, log, vendors)
        let configuration = try InProcessService.load(setup, environment, by: clock)
        guard configuration.audit == nil else { throw Program.Failure(description: "an audit needs a process") }
        let snapshot = try InProcessService.snapshot(configuration, after: nil, by: clock, log)
        let identities = configuration.rates.identities
        // Redis answers in its own time.
        let cluster = try configuration.cluster.map { settings in
            try ClusterMember(
                settings, identities: identities, auditing: nil, braking: snapshot.brakes, snapshot.log,
                clock: { clock.now() })
        }
        let shared =
            cluster.map { ProcessResources(Metrics(), auditing: nil, among: $0) }
            ?? ProcessResources(RateLimiter(identities: identities), Metrics())
        var parts: (handler: LoopHandler, loop: LoopAccess)?
        server = try Server(Server.Settings(addresses: [], workers: 1), resolver: Resolver()) { loop in
            let handler = try LoopHandler(
                snapshot, shared, loop, asking: vendors)
            parts = (handler, loop)
            return handler
        }
        guard let parts else { throw Program.Failure(description: "the server has no loop") }
        (handler, loop) = parts
        (self.shared, self.snapshot) = (shared, snapshot)
        settings = Server.Settings(snapshot)
        context = ServerConnection.Context(handler: handler, proxies: settings.proxies)
        perform {}
        try cluster?.start()
    }

    deinit { shared.cluster?.stop() }

    // MARK: Configuration

    /// Where its configuration would be.
    static let folder = "/in/process"

    private static func load(
        _ setup: Setup, _ environment: [String: String], by clock: TestClock
    ) throws -> Configuration {
        var files = setup.files
        files["secrets/qiniu"] = files["secrets/qiniu"] ?? Setup.qiniuSecret + "\n"
        files["countersign.json5"] = setup.text(.inProcess)
        let environment = Environment(
            variable: { environment[$0] },
            file: { [files] path in
                guard path.hasPrefix(folder + "/"), let text = files[String(path.dropFirst(folder.utf8.count + 1))]
                else { return ReadFile(path) }
                return ReadFile(bytes: Array(text.utf8), isWorldReadable: false)
            },
            now: { clock.now().unixSeconds })
        return try Configuration.checked(folder + "/countersign.json5", in: environment)
    }

    private static func snapshot(
        _ configuration: Configuration, after earlier: Snapshot?, by clock: TestClock, _ log: LogFile
    ) throws -> Snapshot {
        var settings = Snapshot.Settings()
        settings.clock = { clock.now() }
        settings.writer = log.writer
        return try Snapshot(configuration, settings, after: earlier)
    }

    /// Goes on by another configuration.
    func reload(_ setup: Setup, _ environment: [String: String]) throws {
        try lock.withLock {
            let configuration = try InProcessService.load(setup, environment, by: clock)
            let next = try InProcessService.snapshot(configuration, after: snapshot, by: clock, log)
            snapshot = next
            settings = Server.Settings(next)
            context.proxies = settings.proxies
            handler.adopt(try handler.prepare(next)) { [clock] in
                _ = next.record.succeeded(at: clock.now().unixSeconds)
            }
            perform {}
        }
    }

    // MARK: Connections

    /// - Parameters:
    ///   - client: the address that it is from.
    ///   - listener: the index of the address that it connects to, the admin's behind the others; negative for the admin's first.
    ///   - certificate: the file of one that the client shows by TLS, if any.
    func connect(from client: ClientAddress, to listener: Int, showing certificate: String?) throws -> Connection {
        try lock.withLock {
            let server = snapshot.configuration.server
            lastToken += 1
            var http = ServerConnection(
                limits: settings.limits, at: clock.now(), listener: listener < 0 ? server.listen.count : listener,
                client: client, token: lastToken)
            http.certificate = try certificate.map {
                try ClientCertificate($0, verifiedBy: server.tls?.clientAuthorities)
            }
            let connection = Connection(http, token: lastToken)
            connections[lastToken] = connection
            return connection
        }
    }

    /// Takes what a client sends.
    func receive(_ bytes: [UInt8], on connection: Connection) {
        lock.withLock {
            perform { if !connection.isOver { advance(connection, bytes.span) } }
        }
    }

    /// What has come for a client; while nothing has, time passes for it.
    /// - Parameter milliseconds: how much time at most.
    /// - Returns: nothing when nothing comes, and nil at the connection's end.
    func read(from connection: Connection, within milliseconds: Int64) -> [UInt8]? {
        lock.withLock {
            var left = milliseconds
            while connection.out.isEmpty, !connection.isOver, left > 0 {
                clock.advance(by: InProcessService.sweepInterval)
                left -= InProcessService.sweepInterval
                perform {}
            }
            guard connection.out.isEmpty else {
                defer { connection.out = [] }
                return connection.out
            }
            return connection.isOver ? nil : []
        }
    }

    /// The client sends nothing more, and takes what comes.
    func finishSending(_ connection: Connection) {
        lock.withLock { if connection.http.pendingResponse == nil { connection.next = .close } }
    }

    /// The client goes away.
    func close(_ connection: Connection) {
        lock.withLock {
            connections[connection.token] = nil
            perform { abandon(connection) }
        }
    }

    /// Whether a client waits for an answer that comes later.
    func isParked(_ connection: Connection) -> Bool { lock.withLock { connection.http.pendingResponse != nil } }

    // MARK: The loop

    /// Has everything done that is due at the clock's moment.
    func catchUp() { lock.withLock { perform {} } }

    /// One batch of events, as an event loop has it.
    private func perform(_ body: () -> Void) {
        let instant = clock.now()
        context.instant = instant
        context.date = HTTPDate.write(instant.unixSeconds)
        body()
        if instant.monotonic - lastSweep >= InProcessService.sweepInterval || isDue {
            lastSweep = instant.monotonic
            sweep()
        }
        settle()
        handler.rest(since: instant)
        if handler.awaitsPause { handler.pause() }
    }

    private var isDue: Bool { handler.nextTick.map { $0 <= context.instant.monotonic } ?? false }

    private func sweep() {
        handler.tick(at: context.instant)
        for connection in connections.values where context.instant.monotonic >= connection.http.deadline {
            guard !connection.isOver else { continue }
            abandon(connection)
            context.out.reset()
            connection.http.expire(in: &context)
            take(.linger, of: connection)
        }
    }

    /// Until nothing is left to be done at this moment.
    private func settle() {
        var isBusy = true
        while isBusy {
            isBusy = loop.clients.mailbox.deliver()
            if vendors.deliver(at: context.instant.monotonic) { isBusy = true }
            for answer in loop.answers.takeFinished() {
                isBusy = true
                finish(answer)
            }
        }
    }

    private func advance(_ connection: Connection, _ bytes: Span<UInt8>) {
        context.out.reset()
        take(connection.http.receive(bytes, in: &context), of: connection)
    }

    private func finish(_ answer: LateAnswers.Answer) {
        guard let connection = connections[answer.pending.connection], connection.http.pendingResponse == answer.pending
        else {
            return
        }
        swap(&context.response, &answer.response)
        loop.answers.reuse(answer)
        context.out.reset()
        take(connection.http.finish(in: &context), of: connection)
    }

    /// Sends what a connection has written, and goes on as it wants.
    private func take(_ next: ServerConnection.Next, of connection: Connection) {
        connection.out += context.out.array
        connection.next = next
        if let pending = connection.http.pendingResponse { loop.answers.expect(pending) }
        if next == .drain { advance(connection, Span()) }
    }

    private func abandon(_ connection: Connection) {
        guard let pending = connection.http.pendingResponse, loop.answers.abandon(pending) else { return }
        handler.abandon(pending)
    }

    // MARK: What it says

    /// What the operator has stopped; nil where nothing can be.
    var brakes: BrakeKeeper? { lock.withLock { snapshot.brakes } }

    /// All that it has written to its log.
    var logged: String { log.text }
}

/// A file that a log is written to, and that is gone with it.
private final class LogFile: Sendable {
    let writer: LogWriter
    private let descriptor: Int32

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/countersign-log-\(UUID().uuidString)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        unlink(path)
        guard descriptor >= 0 else { throw Program.Failure(description: "no file for the log: error \(errno)") }
        // Who logs late must not write to whoever has the descriptor's number by then.
        writer = LogWriter(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), limit: 1 << 20, isOwner: true)
    }

    deinit { Glibc.close(descriptor) }

    var text: String {
        writer.flush(within: 5000)
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_CUR)))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
