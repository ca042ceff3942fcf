import Bytes
import Crypto
import HTTP
import Machine
import Telemetry
import Upstream

@testable import Access
@testable import Configuration
@testable import Net
@testable import Providers
@testable import Gateway
@testable import TestSamples

/// Several loops that share one account, without sockets: the tests are the vendor, and move the clock.
final class SessionFixture: @unchecked Sendable {
    private(set) var unixSeconds: Int64 = 1_800_000_000
    private(set) var monotonic: Int64 = 5_000_000
    /// How far the vendor's clock is ahead of ours, in seconds.
    var vendorAhead: Int64 = 0
    var files: [String: [UInt8]] = [:]
    /// Why others can change files.
    var weaknesses: [String: String] = [:]
    private(set) var filesRead: [String] = []
    private var posted: [@Sendable () -> Void] = []
    private var issued = 0
    let shared: SessionAccount
    private(set) var caches: [SessionCache] = []
    private(set) var upstreamClients: [FakeUpstreamClient] = []
    let account: STSAccount

    var now: Instant { Instant(unixSeconds: unixSeconds, monotonic: monotonic) }

    init(
        loops: Int = 1, _ fields: String = SampleConfiguration.stsKey,
        log: Log = Log(Log.Settings(level: .error, format: .json))
    ) throws {
        let configuration = try SampleConfiguration.sts(fields)
        let credential = configuration.credentials[0]
        guard let sessions = credential.sessions else { throw Fault("there is no account") }
        guard let account = sessions.source as? STSAccount else { throw Fault("it is another vendor's") }
        self.account = account
        let start = Instant(unixSeconds: 1_800_000_000, monotonic: 5_000_000)
        let basis = SessionAccount.Basis(
            name: credential.name, source: account, limits: sessions.limits,
            callsPerCaller: sessions.callsPerCaller)
        // Nobody is connected to, and to read whom the system trusts takes 40 ms.
        shared = SessionAccount(basis, trusting: try TLSTrust(.anybody), from: start)
        for _ in 0..<loops {
            let upstreamClient = FakeUpstreamClient()
            upstreamClients.append(upstreamClient)
            let key = try credential.key.map {
                try SigningKey(accessKey: $0.accessKey, secret: $0.secret, securityToken: $0.securityToken)
            }
            caches.append(
                try SessionCache(
                    shared, key: key,
                    LoopCallTools(
                        calls: LoopCalls(upstreamClient: upstreamClient) { [unowned self] in now }, log: log,
                        post: { [unowned self] in posted.append($0) },
                        read: { [unowned self] path, then in
                            filesRead.append(path)
                            then(
                                files[path].map {
                                    ReadFile(bytes: $0, isWorldReadable: false, weakness: weaknesses[path])
                                })
                        })))
        }
    }

    struct Fault: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    // MARK: Time

    func advance(milliseconds: Int64) {
        let seconds = (monotonic + milliseconds) / 1000 - monotonic / 1000
        monotonic += milliseconds
        unixSeconds += seconds
    }

    /// Our own clock is put somewhere else.
    func jump(seconds: Int64) { unixSeconds += seconds }

    func tick() {
        for cache in caches {
            cache.tick(at: now)
            cache.tools.calls.tick(at: now)
        }
        settle()
    }

    /// Lets time pass in the steps of a loop's ticks.
    func pass(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 250) {
            advance(milliseconds: 250)
            tick()
        }
    }

    /// Runs what one loop has posted to another.
    func settle() {
        while !posted.isEmpty {
            let due = posted
            posted = []
            for work in due { work() }
        }
    }

    /// Whether a loop has anything under way.
    func isWaiting(loop: Int = 0) -> Bool { caches[loop].isWaiting || !caches[loop].tools.calls.isEmpty }

    // MARK: Requests

    /// What became of a request.
    final class Outcome {
        var reply: SessionCache.Outcome?
        let waiter: UInt64?
        init(_ waiter: UInt64?) { self.waiter = waiter }

        var key: String? { if case .serve(let credential)? = reply { credential.accessKeyID.text } else { nil } }
        var refusal: SlotRefusal? { if case .refuse(let refusal)? = reply { refusal } else { nil } }
    }

    func session(_ name: String = "alice", seconds: Int64 = 3600) throws -> VendorSession {
        let request = try AssumeRole(
            roleARN: account.roleARN, sessionName: Array(name.utf8), durationSeconds: seconds,
            policy: Array("{}".utf8))
        let principal = Principal(.apiKey, id: Array(name.utf8), subject: Array(name.utf8))
        return VendorSession(try CredentialKey(account, request, for: principal), request)
    }

    /// - Parameter caller: a number of the caller's own; nil for one that pays nothing.
    func ask(_ session: VendorSession, loop: Int = 0, from caller: UInt64? = nil) -> Outcome {
        let client = CacheClient(mark: caller ?? 0, pays: caller != nil)
        switch caches[loop].ask(session, for: client, at: now) {
        case .now(let reply):
            let outcome = Outcome(nil)
            outcome.reply = reply
            return outcome
        case .later(let waiter):
            let outcome = Outcome(waiter)
            caches[loop].cache.wait(waiter, for: shared.limits.patience, at: now) { outcome.reply = $0 }
            return outcome
        }
    }

    // MARK: The vendor

    /// All that is under way, in the order of the loops; each is to be answered once.
    func take() -> [FakeUpstreamClient.Sent] {
        upstreamClients.flatMap { $0.take() }
    }

    func answer(_ sent: FakeUpstreamClient.Sent, _ status: Int, _ body: String, date: Bool = true) {
        var fields: [(name: [UInt8], value: [UInt8])] = []
        if date { fields.append((Array("date".utf8), HTTPDate.write(unixSeconds + vendorAhead))) }
        sent.answer(status, body, fields)
        settle()
    }

    func fail(_ sent: FakeUpstreamClient.Sent, _ error: ExchangeError = .timeout(.waiting)) {
        sent.fail(error)
        settle()
    }

    /// The vendor's yes; each credential has another name.
    /// - Returns: the credential's access key.
    @discardableResult
    func grant(_ sent: FakeUpstreamClient.Sent, seconds: Int64 = 3600) -> String {
        issued += 1
        let key = "STS.\(issued)"
        let end = String(decoding: ISO8601.write(unixSeconds + vendorAhead + seconds), as: UTF8.self)
        answer(
            sent, 200,
            """
            {"RequestId":"1","Credentials":{"AccessKeyId":"\(key)","AccessKeySecret":"secret\(issued)",\
            "SecurityToken":"token\(issued)","Expiration":"\(end)"}}
            """)
        return key
    }

    func refuse(_ sent: FakeUpstreamClient.Sent, _ status: Int, _ code: String) {
        answer(sent, status, "{\"RequestId\":\"1\",\"HostId\":\"h\",\"Code\":\"\(code)\",\"Message\":\"no\"}")
    }
}
