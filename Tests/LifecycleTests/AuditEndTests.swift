import Bytes
import Crypto
import Foundation
import Net
import HTTP
import Testing

@testable import Audit
@testable import Configuration
@testable import Gateway
@testable import Lifecycle
@testable import Telemetry
@testable import TestSamples

/// A service that is told to stop, or to go on by another configuration, while the disk of its audit hangs.
@Suite("Answers that the disk holds up", .timeLimit(.minutes(20)))
struct AuditEndTests {
    private final class Client: Sendable {
        private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

        init(_ port: UInt16) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let descriptor = descriptor
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0, "cannot connect: error \(errno)")
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// Goes away without a word.
        func reset() {
            var time = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &time, socklen_t(MemoryLayout<linger>.size))
            // Disconnects, and leaves the descriptor to `deinit`.
            var nobody = sockaddr()
            nobody.sa_family = sa_family_t(AF_UNSPEC)
            connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
        }

        /// What comes first.
        func first() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }

        /// All that comes until the service closes.
        func rest() -> String {
            var (text, buffer) = ("", [UInt8](repeating: 0, count: 4096))
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
                text += String(decoding: buffer[..<count], as: UTF8.self)
            }
            return text
        }
    }

    /// A service of one loop, whose clients wait for the disk.
    private final class Fixture {
        let disk = UnreliableDisk()
        let sharedAudit: SharedAudit
        let server: Server
        let metrics = Metrics()
        let isOver = DispatchSemaphore(value: 0)
        private let snapshot: Snapshot
        private var handler: LoopHandler?
        private let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-end-\(UUID())").path

        init(_ transport: TransportKind) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var audit = AuditSettings(file: folder + "/a.jsonl", key: Secret([UInt8](repeating: 7, count: 32)))
            // Only the end of the drain, or the disk, has anybody answered.
            audit.patience = 120_000
            let sharedAudit = SharedAudit(audit, Log(Log.Settings(level: .error, format: .json)), calls: disk.calls)
            try sharedAudit.open()
            let snapshot = try Fixture.snapshot(keyPrefix: "up/")
            var settings = Server.Settings(snapshot)
            settings.listeners = [Server.Listener(SocketAddress(try #require(HostPort("127.0.0.1:0"))))]
            settings.workers = 1
            settings.transport = transport
            settings.limits.drainTimeout = 1000
            let metrics = metrics
            var handler: LoopHandler?
            server = try Server(settings, resolver: Resolver()) { loop in
                let made = try LoopHandler(
                    snapshot, ProcessResources(RateLimiter(identities: 64), metrics, auditing: sharedAudit), loop)
                handler = made
                return made
            }
            self.sharedAudit = sharedAudit
            (self.snapshot, self.handler) = (snapshot, handler)
            Thread.detachNewThread { [server, isOver] in
                server.run()
                isOver.signal()
            }
        }

        deinit {
            disk.set(held: false)
            server.stop()
            sharedAudit.close(within: 120_000)
            try? FileManager.default.removeItem(atPath: folder)
        }

        private static func snapshot(keyPrefix: String, after earlier: Snapshot? = nil) throws -> Snapshot {
            let configuration = try SampleConfiguration.configuration(
                grants: """
                    u: { route: "qiniu.uptoken", credential: "q", callers: ["anonymous"], public: true, bucket: "media",
                      keyPrefix: "\(keyPrefix)" }
                    """)
            return try Snapshot(configuration, after: earlier)
        }

        /// Goes on by a configuration with another prefix, and waits until that serves.
        func reload(keyPrefix: String) throws {
            let handler = try #require(handler)
            let isAdopted = DispatchSemaphore(value: 0)
            handler.adopt(try handler.prepare(Fixture.snapshot(keyPrefix: keyPrefix, after: snapshot))) {
                isAdopted.signal()
            }
            #expect(isAdopted.wait(timeout: .now() + 60) == .success)
        }

        /// The audit's lines, when all are written.
        func lines() throws -> [Substring] {
            sharedAudit.close(within: 120_000)
            return try String(contentsOfFile: folder + "/a.jsonl", encoding: .utf8).split(separator: "\n")
        }

        /// Clients who have asked, and wait for the disk.
        func clients(_ count: Int) throws -> [Client] {
            disk.set(held: true)
            let port = try #require(server.addresses.first?.port)
            let clients = try (0..<count).map { _ in try Client(port) }
            for client in clients { client.send("GET /qiniu/uptoken?key=up/a HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            #expect(disk.waitForSync())
            // Whoever asks later is answered later, so all of them have been read by then.
            let witness = try Client(port)
            witness.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(witness.first().hasPrefix("HTTP/1.1 200 "))
            return clients
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `whoever waits for it is told so within drainTimeout, and the loops are over`(
        _ transport: TransportKind
    ) throws {
        let fixture = try Fixture(transport)
        let clients = try fixture.clients(3)
        let begin = ContinuousClock.now
        fixture.server.stop()
        for client in clients {
            let answer = client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("audit_unavailable"), "\(answer)")
            #expect(!answer.contains("uptoken"))
        }
        #expect(fixture.isOver.wait(timeout: .now() + 60) == .success)
        #expect(ContinuousClock.now - begin < .seconds(60), "as soon as drainTimeout is over")
        #expect(fixture.server.timeLeft == 0)
        #expect(!fixture.sharedAudit.close(within: 50))
    }

    @Test
    func `an answer whose grant a reload takes away is withheld, which has a line; one whose grant stays is given`()
        throws
    {
        let fixture = try Fixture(.standard)
        let lost = try fixture.clients(2)
        try fixture.reload(keyPrefix: "elsewhere/")
        fixture.disk.set(held: false)
        for client in lost {
            let answer = client.first()
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("ask again"), "\(answer)")
            #expect(!answer.contains("uptoken"))
        }
        try fixture.reload(keyPrefix: "up/")
        let kept = try fixture.clients(1)
        try fixture.reload(keyPrefix: "up/")
        fixture.disk.set(held: false)
        #expect(kept[0].first().hasPrefix("HTTP/1.1 200 "))
        let lines = try fixture.lines()
        #expect(lines.filter { $0.contains("\"event\":\"issued\"") }.count == 3)
        let withheld = lines.filter { $0.contains("\"event\":\"withheld\"") }
        #expect(withheld.count == 2)
        for line in withheld {
            let id = try #require(line.firstMatch(of: /"requestId":"[^"]+"/)?.output)
            #expect(lines.filter { $0.contains(id) && $0.contains("\"event\":\"issued\"") }.count == 1)
        }
    }

    @Test func `who is gone before the disk has the line is counted`() throws {
        let fixture = try Fixture(.standard)
        let clients = try fixture.clients(2)
        func count() -> UInt64 { fixture.metrics.sums()[RequestMeter.Index.abandoned] }
        #expect(count() == 0)
        clients[0].reset()
        let end = ContinuousClock.now + .seconds(60)
        while count() == 0, .now < end { usleep(5000) }
        #expect(count() == 1)
        fixture.disk.set(held: false)
        #expect(clients[1].first().hasPrefix("HTTP/1.1 200 "))
        #expect(count() == 1)
    }
}
