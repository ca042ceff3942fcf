import Bytes
import Testing

@testable import Upstream

/// A value that is fetched when it is time though nobody asks, as the keys of an issuer are.
@Suite struct RefreshAheadTests {
    private let limits = UpstreamLimits()

    /// `#expect` takes no mutating calls of a value.
    private final class Held {
        private var slot = ExpiringSlot()
        private var fetch: UInt64 = 0
        private let interval: Int64
        private let policy: CachePolicy

        init(_ interval: Int64, _ limits: UpstreamLimits) {
            self.interval = interval
            policy = CachePolicy(keys: 1, pause: .growing(most: interval), limits)
        }

        private func clocks(_ now: Int64) -> Instant {
            Instant(unixSeconds: 1_800_000_000 + now / 1000, monotonic: now)
        }

        var next: Int64 { slot.due(policy) }

        func begins(at now: Int64) -> Bool {
            let answer = slot.ask(at: clocks(now), fetch: fetch + 1, policy: policy)
            guard answer == .start || answer == .serveAndRefresh else { return false }
            fetch += 1
            return true
        }

        func want(at now: Int64) { slot.want(at: clocks(now), pause: min(10_000, interval)) }

        func succeeded(at now: Int64) {
            _ = slot.succeeded(
                fetch, for: .fixed(refresh: interval, keep: .max), at: clocks(now), random: 0, policy: policy)
        }

        func failed(at now: Int64, random: UInt64) {
            _ = slot.failed(fetch, with: .network, at: clocks(now), random: random, policy: policy)
        }
    }

    private func make(_ interval: Int64 = 600_000) -> Held { Held(interval, limits) }

    /// One that has been fetched at 0, the answer at 100.
    private func fetched() -> Held {
        let refresh = make()
        _ = refresh.begins(at: 0)
        refresh.succeeded(at: 100)
        return refresh
    }

    @Test func `the first fetch is due at once, and there is one at a time`() {
        let refresh = make()
        #expect(refresh.begins(at: 0))
        #expect(!refresh.begins(at: 0))
        #expect(!refresh.begins(at: limits.fetchLease - 1))
    }

    @Test func `a fetch that nobody reports is given up`() {
        let refresh = make()
        #expect(refresh.begins(at: 0))
        #expect(refresh.begins(at: limits.fetchLease))
    }

    @Test func `after a success the next fetch is due when the interval is over`() {
        let refresh = fetched()
        #expect(!refresh.begins(at: 600_099))
        #expect(refresh.begins(at: 600_100))
    }

    @Test func `after failures it is tried again soon, each time later, and never later than the interval`() {
        for interval: Int64 in [1_000, 600_000] {
            let refresh = make(interval)
            var now: Int64 = 0
            for failures in 1...40 {
                #expect(refresh.begins(at: now), "\(failures)")
                refresh.failed(at: now, random: .max)
                let wait = min(interval, 250 + min(30_000, 1_000 << Int64(min(failures - 1, 5))))
                #expect(!refresh.begins(at: now + wait - 1), "\(failures)")
                now += wait
            }
            #expect(refresh.begins(at: now))
            refresh.succeeded(at: now)
            #expect(!refresh.begins(at: now + interval - 1))
        }
    }

    @Test func `what is not in the copy is looked for once in ten seconds, however often it is wanted`() {
        let refresh = fetched()
        refresh.want(at: 9_999)
        #expect(!refresh.begins(at: 9_999))
        refresh.want(at: 10_000)
        #expect(refresh.begins(at: 10_000))
        // While it is under way.
        refresh.want(at: 10_001)
        #expect(!refresh.begins(at: 10_001))
        refresh.succeeded(at: 10_200)
        for now: Int64 in [10_200, 15_000, 19_999] {
            refresh.want(at: now)
            #expect(!refresh.begins(at: now))
        }
        refresh.want(at: 20_000)
        #expect(refresh.begins(at: 20_000))
    }

    @Test func `while it fails, nobody's wish makes it come sooner`() {
        let refresh = fetched()
        _ = refresh.begins(at: 600_100)
        refresh.failed(at: 600_200, random: .max)
        refresh.want(at: 601_000)
        #expect(!refresh.begins(at: 601_000))
        #expect(refresh.begins(at: 601_450))
    }

    @Test func `it tells when it is to be looked at though nobody asks`() {
        let refresh = make()
        #expect(refresh.next == .min)
        #expect(refresh.begins(at: 0))
        #expect(refresh.next == limits.fetchLease)
        refresh.succeeded(at: 100)
        #expect(refresh.next == 600_100)
        refresh.want(at: 20_000)
        #expect(refresh.next == 20_000)
        #expect(refresh.begins(at: 20_000))
        refresh.failed(at: 20_100, random: .max)
        #expect(refresh.next == 21_350)
        #expect(!refresh.begins(at: 21_349) && refresh.begins(at: 21_350))
    }
}
