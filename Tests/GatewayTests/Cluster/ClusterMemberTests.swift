import Bytes
import Cluster
import Foundation
import HTTP
import Telemetry
import TestPeers
import TestTraits
import Testing

@testable import Access
@testable import Configuration
@testable import Crypto
@testable import Gateway
@testable import Net
@testable import Providers
@testable import TestSamples

/// A replica, and a Redis that says what the test wants.
private final class Home {
    let member: ClusterMember
    let log: LogFile
    let brakes: BrakeKeeper
    private let folder: String

    init(
        _ peer: RedisPeer, key: String = Home.key, previous: String? = nil,
        _ change: (inout ClusterSettings) -> Void = { _ in }
    )
        throws
    {
        log = try LogFile(level: .info)
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/countersign-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        brakes = try BrakeKeeper(Configuration.Brake(file: folder + "/brakes.json", entries: 10), log.log)
        var settings = ClusterSettings(
            redis: RedisSettings(
                servers: [.init(host: "127.0.0.1", port: peer.port, isSecured: false)], user: nil, password: nil,
                timeout: 10_000), key: Secret(Array(key.utf8)), instance: Array("a".utf8))
        settings.previousKey = previous.map { Secret(Array($0.utf8)) }
        change(&settings)
        member = try ClusterMember(settings, identities: 64, auditing: nil, braking: brakes, log.log)
        try member.start()
    }

    deinit {
        member.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    static let key = "a key of the cluster with 32 bytes"

    /// Waits until something holds.
    func wait(for what: String, until isDone: (Home) throws -> Bool) throws {
        let deadline = Date.now.addingTimeInterval(30)
        while try !isDone(self) {
            try #require(Date.now < deadline, "never: \(what)")
            usleep(5_000)
        }
    }

    /// What becomes of a use of a ticket.
    func spend(epoch: String = "run-1") throws -> TicketCounter.Verdict {
        let uses = try #require(TicketUses(1, epoch: Array(epoch.utf8)))
        let verdict = Guarded<TicketCounter.Verdict?>(nil)
        member.spend(Array("ticket".utf8), uses, lifetime: 60) { found in verdict.withLock { $0 = found } }
        try wait(for: "a verdict") { _ in verdict.withLock { $0 != nil } }
        return try #require(verdict.withLock { $0 })
    }
}

@Suite("A replica and its Redis", .waiting) struct ClusterMemberTests {
    /// The list of brakes that a replica with this key has put there.
    private static func brakes(by key: String, _ names: String...) throws -> [UInt8] {
        let list = BrakeList(
            names.map { name in
                Brake(
                    .init(.grant, Array(name.utf8)), because: Array("leaked".utf8), by: Array("root".utf8),
                    at: 1_795_158_947_000)
            })
        return try SealingKey(Secret(Array(key.utf8)), for: "countersign cluster brakes").seal(
            list.text.span, label: Array("brakes".utf8).span)
    }

    private static func sessionKey() throws -> CredentialKey {
        let configuration = try SampleConfiguration.sts(SampleConfiguration.stsKey)
        return try CredentialKey(serviceKeyOf: try #require(configuration.credentials[0].sessions).source)
    }

    @Test
    func `before the first heartbeat of a connection is answered no ticket is spent, whatever an earlier one said`()
        throws
    {
        let mayAnswer = Guarded(true)
        let peer = try RedisPeer { words, connection in
            if RedisPeer.isHeartbeat(words) {
                if connection == 1 { return mayAnswer.withLock { $0 } ? nil : .end }
                return .nothing
            }
            return RedisPeer.isCall(words, of: "ticket") ? .says(RedisPeer.integer(1)) : nil
        }
        let home = try Home(peer)
        try home.wait(for: "Redis is heard") { $0.member.standing.isHeard }
        #expect(try home.spend() == .counted)
        #expect(home.member.ticketEpoch == Array("run-1".utf8))
        mayAnswer.withLock { $0 = false }
        try home.wait(for: "another connection") { home in peer.connections > 1 && !home.member.standing.isHeard }
        #expect(try home.spend() == .unavailable)
        #expect(home.member.ticketEpoch == nil)
    }

    @Test(
        arguments: [
            (RedisPeer.integer(1), .counted), (RedisPeer.integer(2), .exhausted), (RedisPeer.integer(-1), .forgotten),
            (RedisPeer.integer(0), .unavailable), (RedisPeer.integer(.min), .unavailable),
            (RedisPeer.bulk("1"), .unavailable), (Array("-OOM full\r\n".utf8), .unavailable),
            (Array("$-1\r\n".utf8), .unavailable), (RedisPeer.integer(.max), .exhausted),
        ] as [([UInt8], TicketCounter.Verdict)])
    func `of what Redis says of a ticket one answer alone is a use`(_ answer: [UInt8], _ verdict: TicketCounter.Verdict)
        throws
    {
        let peer = try RedisPeer { words, _ in RedisPeer.isCall(words, of: "ticket") ? .says(answer) : nil }
        let home = try Home(peer)
        try home.wait(for: "Redis is heard") { $0.member.standing.isHeard }
        #expect(try home.spend() == verdict)
    }

    @Test(arguments: [Int64.min, -1, 0, .max]) func `times and numbers that no Redis has do no harm`(_ number: Int64)
        throws
    {
        let peer = try RedisPeer { words, _ in
            if RedisPeer.isHeartbeat(words) {
                return .says(RedisPeer.heartbeat(replicas: max(1, number), time: number))
            }
            guard RedisPeer.isCall(words, of: "rate") else { return nil }
            return .says(
                RedisPeer.list(RedisPeer.integer(number), RedisPeer.integer(number), RedisPeer.integer(number)))
        }
        let home = try Home(peer)
        try home.wait(for: "Redis is heard") { $0.member.standing.isHeard }
        let rate = try #require(Rate(100, in: 1_000))
        let count = RateLimiter.Count(rate, forHandshakesOf: .none)
        try home.wait(for: "a lease is answered") { home in
            _ = home.member.limiter.take(count, at: SystemClock.now())
            return home.member.standing.leases.asked > 0
        }
        #expect(home.member.standing.isHeard && home.member.standing.losses == 0)
    }

    @Test func `brakes that cannot be read are told once, and the replica goes on with its own`() throws {
        let version = Guarded("1")
        let sealed = try ClusterMemberTests.brakes(by: Home.key, "photos")
        let peer = try RedisPeer { words, _ in
            let now = version.withLock { $0 }
            if RedisPeer.isHeartbeat(words) { return .says(RedisPeer.heartbeat(brakes: now)) }
            guard words.first == "HGETALL" else { return nil }
            return .says(
                RedisPeer.list(
                    RedisPeer.bulk("version"), RedisPeer.bulk(now), RedisPeer.bulk("list"),
                    RedisPeer.bulk(now == "1" ? Array("rubbish".utf8) : sealed)))
        }
        let home = try Home(peer)
        let line = "the brakes of the other replicas cannot be read"
        try home.wait(for: "it is told") { try $0.log.text().contains(line) }
        let heard = home.member.standing.heardAt
        try home.wait(for: "two more heartbeats") { ($0.member.standing.heardAt ?? 0) > (heard ?? 0) + 400 }
        #expect(try home.log.text().components(separatedBy: line).count == 2)
        #expect(home.member.standing.isHeard && home.member.standing.losses == 0 && peer.connections == 1)
        #expect(home.brakes.current == .empty)
        version.withLock { $0 = "2" }
        try home.wait(for: "another list is read") { $0.brakes.current.brakes.count == 1 }
    }

    @Test func `brakes that the key before has sealed are taken over, and sealed by the key of now`() throws {
        let sealed = try ClusterMemberTests.brakes(by: "the key before, of 32 bytes at least", "photos")
        let written = Guarded<[String]?>(nil)
        let peer = try RedisPeer { words, _ in
            if RedisPeer.isHeartbeat(words) { return .says(RedisPeer.heartbeat(brakes: "1")) }
            if RedisPeer.isCall(words, of: "brakes") { written.withLock { $0 = words } }
            guard words.first == "HGETALL" else { return nil }
            return .says(
                RedisPeer.list(
                    RedisPeer.bulk("version"), RedisPeer.bulk("1"), RedisPeer.bulk("list"), RedisPeer.bulk(sealed)))
        }
        let home = try Home(peer, previous: "the key before, of 32 bytes at least")
        try home.wait(for: "it is written anew") { _ in written.withLock { $0 != nil } }
        #expect(home.brakes.current.brakes.map(\.subject.text) == ["grant photos"])
        // Only what still has the version that was read is replaced.
        #expect(written.withLock { $0?[4] } == "1")
    }

    /// - Parameters:
    ///   - age: what Redis says of the time since a session was put there, in seconds.
    ///   - put: when it was put there in truth, in seconds from now.
    ///   - end: when it ends, in seconds from now.
    @Test(
        arguments: [
            (0, 0, 3600, true), (60, -60, 3540, true),
            // Redis' clock an hour ahead, or ahead by all that there is.
            (3600, 0, 3600, false), (.max, 0, 3600, false), (3000, 0, 3600, false),
            // An earlier session, or one whose time beside it was changed.
            (0, -3600, 0, false), (-3600, -3300, 300, false), (0, -7200, -3600, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func `a session of Redis that ends too early, by one clock of two, is fetched anew`(
        age: Int64, put: Int64, end: Int64, isUsed: Bool
    ) throws {
        let now = SystemClock.now().unixSeconds
        let credential = try #require(
            SessionCredential(
                accessKeyID: Array("STS.key".utf8), checked: Secret(Array("secret".utf8)),
                securityToken: Array("token".utf8), expiresAt: now + end))
        let key = try ClusterMemberTests.sessionKey()
        let parts = credential.parts(at: now + put)
        let sealed = try SealingKey(Secret(Array(Home.key.utf8)), for: "countersign cluster sessions").seal(
            parts.text.span, with: parts.secret, label: key.bytes.span)
        let peer = try RedisPeer { words, _ in
            guard RedisPeer.isCall(words, of: "session") else { return nil }
            return .says(RedisPeer.list(RedisPeer.integer(age), RedisPeer.bulk(sealed)))
        }
        let home = try Home(peer)
        try home.wait(for: "Redis is heard") { $0.member.standing.isHeard }
        let found = Guarded<Bool?>(nil)
        home.member.sessions.find(key, endingAfter: now + 600, leaving: 600, fetchedWithin: 10_000) { answer in
            found.withLock { found in if case .session = answer { found = true } else { found = false } }
        }
        try home.wait(for: "an answer") { _ in found.withLock { $0 != nil } }
        #expect(found.withLock { $0 } == isUsed)
    }

    @Test func `a turn that Redis never ends is waited for no longer than a fetch takes`() throws {
        let peer = try RedisPeer { words, _ in
            RedisPeer.isCall(words, of: "session") ? .says(RedisPeer.integer(0)) : nil
        }
        let home = try Home(peer)
        try home.wait(for: "Redis is heard") { $0.member.standing.isHeard }
        let isUnknown = Guarded(false)
        home.member.sessions.find(
            try ClusterMemberTests.sessionKey(), endingAfter: 0, leaving: 600, fetchedWithin: 100
        ) { answer in
            if case .unknown = answer { isUnknown.withLock { $0 = true } }
        }
        try home.wait(for: "an answer") { _ in isUnknown.withLock { $0 } }
    }

    @Test func `before Redis is heard a replica gives out the share of as many as are supposed`() throws {
        let peer = try RedisPeer { words, _ in words.first == "INFO" ? .nothing : nil }
        let home = try Home(peer) { $0.replicas = 4 }
        let rate = try #require(Rate(100, in: 3_600_000))
        let count = RateLimiter.Count(rate, forHandshakesOf: .none)
        let given = (0..<200).count { _ in home.member.limiter.take(count, at: SystemClock.now()).isAllowed }
        #expect((25...26).contains(given))
        #expect(home.member.standing.replicas == 4 && !home.member.standing.isHeard)
    }
}
