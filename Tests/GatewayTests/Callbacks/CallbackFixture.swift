import Access
import Bytes
import Crypto
import HTTP
import Net
import Telemetry
import Testing
import Upstream

@testable import Configuration
@testable import Net
@testable import Providers
@testable import Gateway
@testable import TestSamples

/// Several loops that share the vendor's keys, without sockets: the tests are clients and vendor, and move the clock.
final class CallbackFixture: @unchecked Sendable {
    /// What a client has asked, and of which loop.
    struct Sent {
        let loop: Int
        let pending: PendingResponse
    }

    private(set) var monotonic: Int64 = 5_000_000
    private var posted: [@Sendable () -> Void] = []
    private var tickets: UInt64 = 0
    private let entry: CallbackTable.Entry
    private let log = Log(Log.Settings(level: .error, format: .json))
    let keys: CallbackKeys
    private(set) var caches: [CallbackKeyCache] = []
    private(set) var parked: [ParkedRequests] = []
    private var tools: [LoopCallTools] = []
    private(set) var upstreamClients: [FakeUpstreamClient] = []
    private(set) var answers: [LateAnswers] = []

    var now: Instant { Instant(unixSeconds: 1_800_000_000 + monotonic / 1000, monotonic: monotonic) }

    /// Made by OpenSSL's command line, like the signature below.
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDN19884CUNlS0u16VrE0zEqezz
        dOFBhZAG0ICszoX14VOw7zQTUYhnwJsdZ6iKkPFIN5J4GlkTOUp06h+Oz1Gpstb/
        dJY3b+L/gPUiB+ttpRTU2/1ctZ9Hqo9AwqUxCHUpenvYWuh1Nk8/nL0RMvSGcEPI
        HgSkvJdJmRJw1r0dKQIDAQAB
        -----END PUBLIC KEY-----
        """
    private static let authorization =
        "s3HASUs5qQZaF6bG4imhtjxQuMSsC1xrSi/7Z2oUITS34glNJzpwxCnQEaOeNpuvtStyWCpLmS1LPu8TPmMNUqF/BZh0kQqaAF6aYEIOwwOpHuAe"
        + "Bdbl5pD39S3qn/Lid4gQBKfpWXvNDrImHw08fPPsQIXZdhpVGnFLVyB3RRs="
    private static let body = "bucket=examplebucket&object=users%2F42%2Fa.jpg"

    static func key() throws -> RSAPublicKey {
        let key = RSAPublicKey(pem: Array(pem.utf8).span)
        return try #require(key)
    }

    /// - Parameter limits: the members of `callbackKeys`.
    init(loops: Int = 1, _ limits: String = "") throws {
        let configuration = try SampleConfiguration.load(
            """
            { version: 1, callbackKeys: { \(limits) }, credentials: { o: { provider: "oss", accessKey: "AK", secretKey: { env: "SK" } } },
              grants: { g: { route: "oss.callback", credential: "o", reply: { ok: 1 },
                publicURL: "https://app.example.com/oss/callback" } } }
            """)
        let key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("s".utf8)))
        let table = CallbackTable(configuration, with: [key])
        let found = table.find(path: Array("/oss/callback".utf8).span, query: Span())
        entry = try #require(found)
        keys = try CallbackKeys(configuration, trusting: TLSTrusts())
        for _ in 0..<loops {
            let (upstreamClient, late) = (FakeUpstreamClient(), LateAnswers())
            upstreamClients.append(upstreamClient)
            answers.append(late)
            tools.append(
                LoopCallTools(
                    calls: LoopCalls(upstreamClient: upstreamClient) { [unowned self] in now }, log: log,
                    post: { [unowned self] in posted.append($0) }, read: { $1(nil) }))
            parked.append(ParkedRequests(late))
            caches.append(CallbackKeyCache(keys, tools[tools.count - 1], parked[parked.count - 1]))
        }
    }

    /// Runs what was posted, as the loops do in their next passes.
    func deliver() {
        let due = posted
        posted = []
        for work in due { work() }
    }

    func pass(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 250) {
            monotonic += 250
            for cache in caches { cache.tick(at: now) }
            for loop in tools { loop.calls.tick(at: now) }
            deliver()
        }
    }

    /// Whether a loop has anything under way.
    func isWaiting(loop: Int = 0) -> Bool { !parked[loop].isEmpty || !tools[loop].calls.isEmpty }

    private func claim(_ path: String, isForged: Bool) throws -> CallbackClaim {
        let url = Base64.standard.encode(Array("http://gosspublic.alicdn.com\(path)".utf8))
        let (target, lines) = (Array("/oss/callback?grant=a%2Fb".utf8), "x-oss-pub-key-url: \(url.text)\r\n")
        let (authorization, fieldLines) = (Array(CallbackFixture.authorization.utf8), Array(lines.utf8))
        let body = Array((CallbackFixture.body + (isForged ? "x" : "")).utf8)
        var scratch = ByteWriter()
        let verdict = try entry.verifier.judge(
            ReceivedCallback(
                target: target.span, authorization: authorization.span, contentType: Span(),
                fieldLines: fieldLines.span, body: body.span, at: now.unixSeconds),
            with: entry.key, using: &scratch)
        guard case .claimed(let claim) = verdict else { throw Fault("\(verdict)") }
        return claim
    }

    /// Sends a callback, as a pipeline does.
    /// - Returns: nil when its key is known.
    func send(
        to loop: Int = 0, _ path: String = "/callback_pub_key_v1.pem", isForged: Bool = false
    ) throws -> Sent? {
        let claim = try claim(path, isForged: isForged)
        guard case .later(let waiter) = try caches[loop].ask(for: claim.key, at: now) else { return nil }
        tickets += 1
        let pending = PendingResponse(connection: tickets, number: 0)
        let request = try ParkedRequest(
            .made(as: pending, named: "id-\(tickets)"), as: pending, with: Response(), issuing: nil, nil, by: .silent)
        try caches[loop].park(request, waiting: waiter, for: claim, by: entry, at: now)
        answers[loop].expect(pending)
        return Sent(loop: loop, pending: pending)
    }

    /// What a loop's clients were answered since the last call, by their tickets.
    func answered(by loop: Int = 0) -> [PendingResponse: (status: Int, body: String)] {
        let finished = answers[loop].takeFinished()
        return Dictionary(
            finished.map { ($0.pending, ($0.response.status, $0.response.body.array.text)) }, uniquingKeysWith: { $1 })
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
