import TestTraits
import Testing

@testable import Upstream

@Suite struct CallBudgetTests {
    private func limits(_ rate: Int, burst: Int) -> UpstreamLimits {
        var limits = UpstreamLimits()
        limits.callsPerSecond = rate
        limits.callBurst = burst
        return limits
    }

    @Test(arguments: [(50, 50), (1, 1), (7, 3), (100, 1), (3, 100), (999, 1000), (1000, 1)])
    func `whoever asks as often as can be gets the rate, to the call, over a day`(rate: Int, burst: Int) {
        var budget = CallBudget(limits: limits(rate, burst: burst), at: 0)
        var taken = 0
        var random = SplitMix64(seed: 1)
        var now: Int64 = 0
        // Asks until it is refused, at times so close together that the bucket is never full.
        let step = max(1, min(Int64(burst) * 1000 / Int64(rate) / 2, 60_000))
        for _ in 0..<20_000 {
            while budget.take(at: now) == .now { taken += 1 }
            now += Int64.random(in: 1...step, using: &random)
        }
        while budget.take(at: now) == .now { taken += 1 }
        #expect(taken == burst + Int(now) * rate / 1000 || burst == 1)
        #expect(taken <= burst + Int(now) * rate / 1000)
    }

    @Test func `no second sees more than the vendor's hundred`() {
        var random = SplitMix64(seed: 2)
        var budget = CallBudget(at: 0)
        var calls: [Int64] = []
        var now: Int64 = 0
        for _ in 0..<50_000 {
            switch budget.take(at: now, patience: Int64.random(in: 0...1500, using: &random)) {
            case .now: calls.append(now)
            case .at(let turn): calls.append(turn)
            case .refuse: break
            }
            now += Int64.random(in: 0...20, using: &random) * (Int.random(in: 0..<500, using: &random) == 0 ? 1000 : 1)
        }
        calls.sort()
        var start = 0
        for end in calls.indices {
            while calls[end] - calls[start] >= 1000 { start += 1 }
            #expect(end - start + 1 <= 100)
        }
        #expect(calls.count > 10_000)
    }

    @Test func `who can wait gets a turn of their own, in order; who cannot is told when to come`() {
        var budget = CallBudget(limits: limits(10, burst: 2), at: 0)
        #expect(budget.take(at: 0, patience: 250) == .now)
        #expect(budget.take(at: 0, patience: 250) == .now)
        #expect(budget.take(at: 0, patience: 250) == .at(100))
        #expect(budget.take(at: 0, patience: 250) == .at(200))
        #expect(budget.take(at: 0, patience: 250) == .refuse(until: 50))
        #expect(budget.take(at: 0) == .refuse(until: 300))
        #expect(budget.take(at: 49, patience: 250) == .refuse(until: 50))
        #expect(budget.take(at: 50, patience: 250) == .at(300))
        #expect(budget.take(at: 400) == .now)
        #expect(budget.take(at: 400) == .refuse(until: 500))
        #expect(budget.take(at: 10_000) == .now)
        #expect(budget.take(at: 10_000) == .now)
        #expect(budget.take(at: 10_000) == .refuse(until: 10_100))
    }

    @Test func `a refused call uses nothing up`() {
        var budget = CallBudget(limits: limits(1, burst: 1), at: 0)
        #expect(budget.take(at: 0) == .now)
        for now in Int64(1)..<1000 { #expect(budget.take(at: now) == .refuse(until: 1000)) }
        #expect(budget.take(at: 1000) == .now)
    }

    @Test func `clocks that go back or far ahead, and limits that make no sense, crash nothing`() {
        for (rate, burst) in [(0, 0), (-1, -1), (.max, .max), (.min, .min), (1, .max), (.max, 1)] {
            for start in [Int64.min, 0, .max] {
                var budget = CallBudget(limits: limits(rate, burst: burst), at: start)
                #expect(budget.take(at: start) == .now)
                for now in [Int64.min, -1, 0, 1, .max, .min, .max] {
                    for patience in [Int64.min, 0, 1, .max] { _ = budget.take(at: now, patience: patience) }
                }
            }
        }
        var budget = CallBudget(limits: limits(1, burst: 1), at: 5000)
        #expect(budget.take(at: 5000) == .now)
        #expect(budget.take(at: 0) == .refuse(until: 6000))
        #expect(budget.take(at: 5999) == .refuse(until: 6000))
    }
}
