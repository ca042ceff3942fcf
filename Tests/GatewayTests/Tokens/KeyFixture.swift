import Bytes
import Crypto
import Net
import TestKeys
import Telemetry
import Testing
import Upstream

@testable import Access
@testable import Configuration
@testable import Net
@testable import Gateway
@testable import TestSamples

/// Several loops that share the keys of an issuer, which are fetched, without sockets: the tests are the issuer, and move the clock.
final class KeyFixture: @unchecked Sendable {
    private(set) var unixSeconds: Int64 = 1_800_000_000
    private(set) var monotonic: Int64 = 5_000_000
    private var posted: [@Sendable () -> Void] = []
    private(set) var configuration: Configuration
    private(set) var sources: JWKSSources
    private(set) var loops: [LoopTokens] = []
    let upstreamClients: [FakeUpstreamClient]

    var now: Instant { Instant(unixSeconds: unixSeconds, monotonic: monotonic) }

    init(loops: Int = 1, _ fields: String = "") throws {
        configuration = try KeyFixture.configuration(fields)
        sources = try JWKSSources(
            configuration, trusting: TLSTrusts(), from: Instant(unixSeconds: unixSeconds, monotonic: monotonic))
        upstreamClients = (0..<loops).map { _ in FakeUpstreamClient() }
        engage()
    }

    private static func configuration(_ fields: String) throws -> Configuration {
        let algorithms = fields.contains("algorithms") ? "" : "algorithms: [\"EdDSA\", \"ES256\"],"
        return try SampleConfiguration.load(
            """
            { version: 1, credentials: {}, grants: {},
              authentication: { jwt: [{ id: "login", issuer: "i", audience: "a", \(algorithms)
                jwksUrl: "https://id.example.com/keys", \(fields) }] } }
            """)
    }

    private func engage() {
        loops = upstreamClients.map { upstreamClient in
            LoopTokens(
                sources, configuration.authenticator.makeMemory(),
                LoopCallTools(
                    calls: LoopCalls(upstreamClient: upstreamClient) { [unowned self] in now },
                    log: Log(Log.Settings(level: .error, format: .json)),
                    post: { [unowned self] in posted.append($0) }, read: { $1(nil) }))
        }
        deliver()
    }

    /// Goes on with another configuration.
    func reload(_ fields: String = "") throws {
        configuration = try KeyFixture.configuration(fields)
        sources = try JWKSSources(configuration, trusting: TLSTrusts(), after: sources, from: now)
        engage()
    }

    /// How many tokens the first loop remembers.
    var remembered: Int { loops[0].memory.count }

    /// The last loop's keys are not needed any more.
    func dismissLast() { loops.removeLast() }

    /// Runs what was posted into the loops.
    func deliver() {
        while !posted.isEmpty {
            let work = posted
            posted = []
            for item in work { item() }
        }
    }

    /// Lets time pass in the steps of the loops' ticks.
    func pass(milliseconds: Int64) {
        for _ in 0..<(milliseconds / 250) {
            monotonic += 250
            if monotonic % 1000 == 0 { unixSeconds += 1 }
            for keys in loops { keys.tick(at: now) }
            deliver()
        }
    }

    /// What the loops have asked for since the last call.
    func asked() -> [FakeUpstreamClient.Sent] { upstreamClients.flatMap { $0.take() } }

    /// Answers the one question that is there with the keys.
    func answer(_ keys: [String]) throws {
        let questions = asked()
        #expect(questions.count == 1)
        try #require(questions.first).answer(200, "{\"keys\":[\(keys.joined(separator: ","))]}")
        deliver()
    }

    enum Outcome: Equatable {
        case believed, refused
        /// Its signature holds by keys that are out of date: 503.
        case outdated
    }

    /// What a loop makes of a token, as a pipeline does.
    func outcome(_ token: String, at loop: Int = 0) -> Outcome {
        let field = Array("Bearer \(token)".utf8)
        let keys = loops[loop]
        switch configuration.authenticator.identify(
            authorization: field.span, apiKey: nil, at: unixSeconds, remembering: &keys.memory)
        {
        case .caller: return .believed
        case .refused(_, let credential):
            let fault = credential?.token
            if let issuer = fault?.issuerWithoutKey { keys.want(of: issuer, at: now) }
            return fault?.isByOldKeys == true ? .outdated : .refused
        }
    }

    /// A token that holds for a long time.
    func token(_ key: TestKey, kid: String? = nil, lasting: Int64 = 1_000_000) -> String {
        let member = kid.map { ",\"kid\":\"\($0)\"" } ?? ""
        return key.token(
            header: "{\"alg\":\"\(key.algorithm.rawValue)\"\(member)}",
            claims: "{\"iss\":\"i\",\"aud\":\"a\",\"sub\":\"s\",\"exp\":\(unixSeconds + lasting)}")
    }
}
