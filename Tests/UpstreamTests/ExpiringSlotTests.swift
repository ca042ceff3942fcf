import Bytes
import TestTraits
import Testing

@testable import Upstream

@Suite struct ExpiringSlotTests {
    @Test func `the first ask begins a fetch, and all others wait for it`() throws {
        var bench = SlotBench()
        #expect(bench.state == .empty)
        #expect(bench.ask() == "start")
        for _ in 0..<10 { #expect(bench.ask() == "wait") }
        #expect(bench.state == .waiting)
        #expect(bench.succeed(1, life: 3600) == "serve 1")
        #expect(bench.state == .fresh)
        #expect(bench.ask() == "serve 1")
        #expect(bench.fetch == 1)
    }

    @Test func `past half of its life it is served and refreshed, by one fetch`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        bench.clocks.advance(seconds: 1798)
        #expect(bench.ask() == "serve 1")
        bench.clocks.advance(seconds: 1)
        #expect(bench.state == .stale)
        #expect(bench.ask() == "serve 1, refresh")
        #expect(bench.state == .refreshing)
        for _ in 0..<10 { #expect(bench.ask() == "serve 1") }
        #expect(bench.succeed(2, life: 3600) == "serve 2")
        #expect(bench.ask() == "serve 2")
        #expect(bench.state == .fresh)
    }

    @Test(arguments: [Int64(900), 1800, 3600, 43_200])
    func `R17: it is refreshed at half of its life, give or take 5 %, for 10,000 seeds`(life: Int64) throws {
        var shares: [Double] = []
        for seed in 0..<10_000 {
            var random = SplitMix64(seed: UInt64(seed))
            var bench = SlotBench()
            bench.random = random.next()
            _ = bench.ask()
            _ = bench.succeed(1, life: life)
            let fresh = bench
            var (early, late) = (Int64(0), life)
            while early < late {
                let middle = (early + late) / 2
                bench = fresh
                bench.clocks.advance(seconds: middle)
                if bench.ask() == "serve 1" { early = middle + 1 } else { late = middle }
            }
            shares.append(Double(early) / Double(life))
        }
        // A second of play, the step of the search, and one, by which lives are cut.
        let play: Double = 2 / Double(life)
        let (low, high): (Double, Double) = (shares.min() ?? 0, shares.max() ?? 1)
        #expect(low >= 0.475 - play && low < 0.477)
        #expect(high <= 0.525 + play && high > 0.523)
        let mean: Double = shares.reduce(0, +) / 10_000
        #expect(abs(mean - 0.5) < 0.002)
    }

    /// Life, the least left while the vendor refuses, the least left while it fails; seconds.
    static let floors: [(Int64, Int64, Int64)] = [
        (43_200, 600, 300), (3600, 600, 300), (1801, 600, 300), (1800, 600, 300), (1797, 599, 300), (1500, 500, 300),
        (900, 300, 300), (600, 200, 200), (60, 20, 20),
    ]

    @Test(arguments: floors)
    func `R17: it is served down to its floor, and never under`(life: Int64, floor: Int64, whileFailing: Int64) throws {
        for (fault, floor) in [
            (UpstreamFault.refused, floor), (.clockOff, floor), (.overBudget(until: 0), floor), (.expired, floor),
            (.network, whileFailing), (.unavailable, whileFailing), (.throttled, whileFailing),
            (.malformed, whileFailing), (.breakerOpen(until: 0), whileFailing),
        ] {
            var bench = SlotBench()
            _ = bench.ask()
            _ = bench.succeed(1, life: life)
            var least = life
            for second in 0...(life + 10) {
                let answer = bench.ask()
                if answer.hasPrefix("serve") { least = life - second }
                if answer == "start" || answer.hasSuffix("refresh") {
                    if bench.fail(fault).hasPrefix("serve") { least = min(least, life - second) }
                }
                bench.clocks.advance(seconds: 1)
            }
            #expect((floor...(floor + 1)).contains(least), "\(fault)")
        }
    }

    @Test func `the floor is the lower one only while the vendor fails, and a little after`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        bench.clocks.advance(seconds: 3200)
        // 400 seconds are left; nobody knows of an outage yet.
        #expect(bench.ask() == "start")
        #expect(bench.fail(.network) == "serve 1")
        #expect(bench.ask() == "serve 1")
        bench.clocks.advance(seconds: 29)
        #expect(bench.ask() == "serve 1, refresh")
        #expect(bench.ask() == "serve 1")
        bench.clocks.advance(seconds: 2)
        #expect(bench.ask() == "wait")
        #expect(bench.fail(.refused) == "refuse refused 4")
    }

    @Test func `who has waited long enough gets what is left of the last one, or is told to come again`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        #expect(bench.unanswered == "refuse slow 1")
        _ = bench.succeed(1, life: 3600)
        bench.clocks.advance(seconds: 3200)
        #expect(bench.ask() == "start")
        #expect(bench.unanswered == "serve 1")
        bench.clocks.advance(seconds: 100)
        #expect(bench.unanswered == "refuse slow 1")
    }

    @Test func `a failed refresh costs nobody anything, and is tried again after a pause`() throws {
        var bench = SlotBench()
        bench.random = .max
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        bench.clocks.advance(seconds: 2000)
        #expect(bench.ask() == "serve 1, refresh")
        #expect(bench.fail(.network) == "serve 1")
        #expect(bench.state == .stale)
        bench.clocks.monotonic += 249
        #expect(bench.ask() == "serve 1")
        bench.clocks.monotonic += 1
        #expect(bench.ask() == "serve 1, refresh")
        #expect(bench.fail(.network) == "serve 1")
        bench.clocks.monotonic += 499
        #expect(bench.ask() == "serve 1")
        bench.clocks.monotonic += 1
        #expect(bench.ask() == "serve 1, refresh")
        #expect(bench.succeed(2, life: 3600) == "serve 2")
        // A success ends the row.
        bench.clocks.advance(seconds: 2000)
        #expect(bench.ask() == "serve 2, refresh")
        #expect(bench.fail(.network) == "serve 2")
        bench.clocks.monotonic += 250
        #expect(bench.ask() == "serve 2, refresh")
    }

    @Test func `pauses grow with the failures, are jittered in full, and never exceed their bound`() throws {
        let limits = UpstreamLimits()
        var longest = [Int64](repeating: 0, count: 12)
        var shortest = [Int64](repeating: .max, count: 12)
        for seed in 0..<10_000 {
            var random = SplitMix64(seed: UInt64(seed))
            var bench = SlotBench()
            for failure in 0..<12 {
                #expect(bench.ask() == "start")
                bench.random = random.next()
                _ = bench.fail(.unavailable)
                guard case .failed(let until) = bench.state else {
                    shortest[failure] = 0
                    continue
                }
                let pause = until - bench.clocks.monotonic
                longest[failure] = max(longest[failure], pause)
                shortest[failure] = min(shortest[failure], pause)
                bench.clocks.monotonic = until
            }
        }
        for failure in 0..<12 {
            let bound = min(limits.longestSlotBackoff, limits.slotBackoff << failure)
            #expect(longest[failure] <= bound && longest[failure] > bound * 99 / 100)
            #expect(shortest[failure] <= bound / 100)
        }
    }

    /// A fault, how long it is remembered at most, and what is said meanwhile.
    static let memories: [(UpstreamFault, Int64, String)] = [
        (.refused, 4_000, "refuse refused 4"), (.network, 250, "refuse network 1"),
        (.unavailable, 250, "refuse unavailable 1"), (.throttled, 250, "refuse throttled 1"),
        (.malformed, 250, "refuse malformed 1"), (.clockOff, 250, "refuse clockOff 1"),
        (.breakerOpen(until: 5_001_700), 1_700, "refuse breakerOpen(until: 5001700) 2"),
        (.overBudget(until: 5_000_020), 20, "refuse overBudget(until: 5000020) 1"),
        (.breakerOpen(until: .max), 5_000, "refuse breakerOpen(until: \(Int64.max)) 5"),
        (.breakerOpen(until: .min), 0, "refuse breakerOpen(until: \(Int64.min)) 1"),
    ]

    @Test(arguments: memories)
    func `a failure is remembered for a while, and never for ever`(fault: UpstreamFault, pause: Int64, words: String)
        throws
    {
        var bench = SlotBench()
        bench.random = .max
        #expect(bench.ask() == "start")
        #expect(bench.fail(fault) == words)
        if pause > 0 {
            for _ in 0..<1000 { #expect(bench.ask() == words) }
            bench.clocks.monotonic += pause - 1
            #expect(bench.ask().hasPrefix("refuse"))
            bench.clocks.monotonic += 1
        }
        #expect(bench.ask() == "start")
        #expect(bench.succeed(1, life: 3600) == "serve 1")
    }

    @Test func `a refused refresh leaves the credential that is there in use`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        bench.clocks.advance(seconds: 2000)
        _ = bench.ask()
        #expect(bench.fail(.refused) == "serve 1")
        bench.clocks.advance(seconds: 3)
        #expect(bench.ask() == "serve 1")
        bench.clocks.advance(seconds: 1)
        #expect(bench.ask() == "serve 1, refresh")
    }

    @Test func `a report of another fetch changes nothing`() throws {
        var bench = SlotBench()
        #expect(bench.fail(.network, fetch: 0) == "nothing")
        _ = bench.ask()
        #expect(bench.succeed(9, life: 3600, fetch: 7) == "nothing")
        #expect(bench.fail(.network, fetch: 7) == "nothing")
        #expect(bench.state == .waiting)
        #expect(bench.succeed(1, life: 3600) == "serve 1")
        #expect(bench.succeed(2, life: 3600) == "nothing")
        #expect(bench.fail(.network) == "nothing")
        #expect(bench.ask() == "serve 1")
    }

    @Test func `a fetch that nobody reports is given up, and its report comes too late`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        bench.clocks.monotonic += bench.limits.fetchLease - 1
        #expect(bench.ask() == "wait")
        bench.clocks.monotonic += 1
        #expect(bench.state == .empty)
        #expect(bench.ask() == "start")
        #expect(bench.succeed(1, life: 3600, fetch: 1) == "nothing")
        #expect(bench.ask() == "wait")
        #expect(bench.succeed(2, life: 3600, fetch: 2) == "serve 2")
    }

    @Test func `a fetch that was never begun leaves no trace`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        bench.slot.withdrawn(bench.fetch + 1)
        #expect(bench.state == .waiting)
        bench.slot.withdrawn(bench.fetch)
        #expect(bench.state == .empty)
        #expect(bench.ask() == "start")
    }
}
