import Bytes
import Crypto
import Testing
import Upstream

@testable import Configuration
@testable import Providers
@testable import Gateway

/// Which public keys are used, fetched, waited for and refused.
@Suite struct CallbackKeyPolicyTests {
    /// A table cannot be copied, and a suite is.
    private final class Box {
        var table: SlotTable<PublishedKey, RSAPublicKey>
        let lifetime: Lifetime
        /// The fetch of each key that is under way.
        var fetches: [PublishedKey: SlotFetch] = [:]
        var waiters: UInt64 = 0

        init(_ limits: Configuration.CallbackKeys) {
            table = SlotTable(CallbackKeys.policy(limits))
            lifetime = .fixed(refresh: limits.refresh, keep: limits.keep)
        }
    }

    private var box = Box(limits())
    private let key: RSAPublicKey
    private let next: RSAPublicKey

    init() throws {
        key = try CallbackFixture.key()
        next = try CallbackFixture.key()
    }

    private static func limits(
        _ remembered: Int = 64, refresh: Int64 = 3_600_000, keep: Int64 = 86_400_000
    ) -> Configuration.CallbackKeys {
        Configuration.CallbackKeys(
            remembered: remembered, refresh: refresh, keep: keep, callsPerSecond: 10, strangeCallsPerSecond: 1,
            waiting: 512)
    }

    private func published(_ path: String = "/callback_pub_key_v1.pem") throws -> PublishedKey {
        PublishedKey(
            host: try VendorEndpoint(host: CallbackKeyURL.host.array), path: Array(path.utf8),
            isUsual: path == "/callback_pub_key_v1.pem")
    }

    /// - Parameter waiter: who waits if need be.
    private func ask(_ source: PublishedKey, for waiter: UInt64? = nil, at now: Int64) -> String {
        box.waiters += 1000
        let reply = box.table.ask(
            source, for: waiter ?? box.waiters, alwaysFits: source.isUsual, at: clocks(now))
        if let fetch = reply.fetch { box.fetches[source] = fetch }
        switch reply.outcome {
        case .serve(let key): return reply.fetch != nil ? "use and refresh" : key === self.key ? "use" : "use next"
        case .refuse(let refusal):
            if case .fault(let fault) = refusal.reason { return "refuse \(fault)" }
            return "\(refusal.reason)"
        case nil: return reply.fetch == nil ? "wait" : "start"
        }
    }

    private func clocks(_ now: Int64) -> Instant { Instant(unixSeconds: 1_800_000_000, monotonic: now) }

    /// - Returns: who waited; nil where no fetch is under way.
    private func landed(
        _ source: PublishedKey, with result: Result<RSAPublicKey, UpstreamFault>, at now: Int64
    ) -> [UInt64]? {
        guard let fetch = box.fetches[source] else { return nil }
        let lifetime = box.lifetime
        return box.table.landed(fetch, with: result.map { ($0, lifetime) }, at: clocks(now), random: 0)?.waiters
    }

    @Test mutating func `the first who asks begins the call, and those who wait are told once`() throws {
        let (usual, other) = (try published(), try published("/other.pem"))
        #expect(ask(usual, for: 1, at: 0) == "start")
        #expect(ask(usual, for: 4, at: 1) == "wait")
        #expect(ask(usual, for: 0, at: 2) == "wait")
        #expect(ask(other, for: 2, at: 3) == "start")
        #expect(landed(usual, with: .success(key), at: 4) == [1, 4, 0])
        #expect(landed(usual, with: .success(next), at: 5) == nil)
        #expect(ask(usual, for: 3, at: 6) == "use")
        #expect(ask(other, for: 3, at: 7) == "wait")
        #expect(landed(other, with: .failure(.refused), at: 8) == [2, 3])
        #expect(landed(try published("/never.pem"), with: .success(key), at: 9) == nil)
        #expect(box.table.count == 2)
    }

    @Test mutating func `a call in vain is remembered for two seconds`() throws {
        let usual = try published()
        #expect(ask(usual, at: 0) == "start")
        _ = landed(usual, with: .failure(.network), at: 1_000)
        #expect(ask(usual, at: 1_000) == "refuse network")
        #expect(ask(usual, at: 2_999) == "refuse network")
        #expect(ask(usual, at: 3_000) == "start")
        #expect(ask(usual, at: 3_001) == "wait")
    }

    @Test mutating func `a key is refreshed after an hour, once in a minute while that fails, and used for a day`()
        throws
    {
        let (usual, hour, day) = (try published(), Int64(3_600_000), Int64(86_400_000))
        #expect(ask(usual, at: 0) == "start")
        _ = landed(usual, with: .success(key), at: 0)
        #expect(ask(usual, at: hour - 1) == "use")
        #expect(ask(usual, at: hour) == "use and refresh")
        #expect(ask(usual, at: hour + 1) == "use")
        #expect(landed(usual, with: .failure(.network), at: hour + 2) == [])
        #expect(ask(usual, at: hour + 60_001) == "use")
        #expect(ask(usual, at: hour + 60_002) == "use and refresh")
        _ = landed(usual, with: .failure(.network), at: hour + 60_003)
        #expect(ask(usual, at: day - 1) == "use and refresh")
        // The refresh is still under way.
        #expect(ask(usual, for: 4, at: day) == "wait")
        #expect(landed(usual, with: .success(next), at: day + 1) == [4])
        #expect(ask(usual, at: day + 2) == "use next")
        #expect(ask(usual, at: 2 * day + 1) == "start")
    }

    @Test mutating func `slots are few; a key of use keeps its own, and the usual one always has one`() throws {
        box = Box(CallbackKeyPolicyTests.limits(7))
        let known = try published("/known.pem")
        #expect(ask(known, at: 0) == "start")
        _ = landed(known, with: .success(key), at: 0)
        for number in 1..<7 {
            let strange = try published("/\(number).pem")
            #expect(ask(strange, at: 10) == "start")
            _ = landed(strange, with: .failure(.refused), at: 10)
        }
        #expect(box.table.count == 7)
        #expect(ask(try published("/more.pem"), at: 2_009) == "full")
        #expect(ask(known, at: 2_009) == "use")
        #expect(ask(try published(), at: 2_009) == "start")
        // What was in vain is forgotten; what is under way is not.
        #expect(ask(try published("/more.pem"), at: 2_010) == "start")
        #expect(box.table.count == 3)
        #expect(ask(known, at: 2_011) == "use")
    }

    @Test mutating func `how old keys become is the configuration's to say`() throws {
        box = Box(CallbackKeyPolicyTests.limits(refresh: 5_000, keep: 8_000))
        let usual = try published()
        #expect(ask(usual, at: 0) == "start")
        _ = landed(usual, with: .success(key), at: 0)
        #expect(ask(usual, at: 4_999) == "use")
        #expect(ask(usual, at: 5_000) == "use and refresh")
        _ = landed(usual, with: .failure(.network), at: 5_000)
        #expect(ask(usual, at: 7_999) == "use")
        #expect(ask(usual, at: 8_000) == "start")
    }
}
