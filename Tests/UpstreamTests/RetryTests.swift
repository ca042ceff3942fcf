import TestTraits
import Testing

@testable import Upstream

@Suite struct RetryTests {
    @Test(arguments: [UpstreamFault.network, .unavailable, .throttled])
    func `what may pass is tried again on the next endpoint in turn`(fault: UpstreamFault) {
        var retry = Retry(endpoints: 3, first: 1, at: 1000)
        #expect(retry.next(at: 1000) == .attempt(endpoint: 1, until: 3000))
        #expect(retry.failed(with: fault, at: 1100, random: .max) == .wait(until: 1200))
        #expect(retry.next(at: 1199) == .wait(until: 1200))
        #expect(retry.next(at: 1200) == .attempt(endpoint: 2, until: 3200))
        #expect(retry.failed(with: fault, at: 1300, random: .max) == .wait(until: 1500))
        #expect(retry.next(at: 1500) == .attempt(endpoint: 0, until: 3500))
        #expect(retry.failed(with: fault, at: 1600, random: 0) == .wait(until: 1600))
        #expect(retry.next(at: 1600) == .attempt(endpoint: 1, until: 3600))
        #expect(retry.attempts == 4)
        #expect(retry.failed(with: fault, at: 1700, random: 0) == .giveUp(fault))
        #expect(retry.next(at: 1700) == .giveUp(fault))
    }

    @Test(arguments: [
        UpstreamFault.refused, .malformed, .expired, .clockOff, .breakerOpen(until: 7), .overBudget(until: 7),
    ])
    func `what would be repeated is not tried again`(fault: UpstreamFault) {
        var retry = Retry(endpoints: fault.isRetriedElsewhere ? 1 : 2, at: 0)
        _ = retry.next(at: 0)
        #expect(retry.failed(with: fault, at: 1, random: 0) == .giveUp(fault))
        #expect(retry.next(at: 2) == .giveUp(fault))
        #expect(retry.attempts == 1)
    }

    @Test(arguments: [UpstreamFault.malformed, .expired, .clockOff])
    func `an endpoint that is not what it should be is passed over, each once`(fault: UpstreamFault) {
        var retry = Retry(endpoints: 3, first: 2, at: 0)
        #expect(retry.next(at: 0) == .attempt(endpoint: 2, until: 2000))
        #expect(retry.failed(with: fault, at: 1, random: 0) == .wait(until: 1))
        #expect(retry.next(at: 1) == .attempt(endpoint: 0, until: 2001))
        #expect(retry.failed(with: fault, at: 2, random: 0) == .wait(until: 2))
        #expect(retry.next(at: 2) == .attempt(endpoint: 1, until: 2002))
        #expect(retry.failed(with: fault, at: 3, random: 0) == .giveUp(fault))
    }

    @Test func `no attempt outlives the call, nor is begun when too little time is left`() {
        var limits = UpstreamLimits()
        limits.callTimeout = 5000
        limits.attempts = 100
        for random in someRandom {
            var retry = Retry(endpoints: 1, at: 0, limits: limits)
            var now: Int64 = 0
            var ends: [Int64] = []
            loop: while true {
                switch retry.next(at: now) {
                case .attempt(_, let until):
                    #expect(until - now >= 100 && until - now <= 2000 && until <= retry.deadline)
                    now = until
                    ends.append(until)
                    _ = retry.failed(with: .network, at: now, random: random)
                case .wait(let until):
                    #expect(until >= now && until <= 4900)
                    now = until
                case .giveUp(let fault):
                    #expect(fault == .network)
                    break loop
                }
            }
            #expect(ends.count >= 2 && now <= 5000)
        }
    }

    @Test func `a call that is asked too late gives up`() {
        var retry = Retry(endpoints: 1, at: 0)
        #expect(retry.next(at: 5901) == .giveUp(.network))
        var other = Retry(endpoints: 1, at: 0)
        #expect(other.next(at: 5900) == .attempt(endpoint: 0, until: 6000))
        #expect(other.failed(with: .unavailable, at: 5950, random: 0) == .giveUp(.unavailable))
        var third = Retry(endpoints: 1, at: 0)
        _ = third.next(at: 0)
        #expect(third.failed(with: .throttled, at: 100, random: 0) == .wait(until: 100))
        #expect(third.next(at: 5901) == .giveUp(.throttled))
    }

    @Test func `asked while an attempt is under way, it says when that ends`() {
        var retry = Retry(endpoints: 1, at: 0)
        #expect(retry.next(at: 0) == .attempt(endpoint: 0, until: 2000))
        #expect(retry.next(at: 10) == .wait(until: 2000))
        #expect(retry.attempts == 1)
    }

    @Test func `pauses are jittered in full, double, and keep their bound, for 10,000 seeds`() {
        var limits = UpstreamLimits()
        limits.attempts = 8
        limits.callTimeout = 1_000_000
        var longest = [Int64](repeating: 0, count: 7)
        var shortest = [Int64](repeating: .max, count: 7)
        for seed in 0..<10_000 {
            var random = SplitMix64(seed: UInt64(seed))
            var retry = Retry(endpoints: 2, at: 0, limits: limits)
            var now: Int64 = 0
            for attempt in 0..<7 {
                _ = retry.next(at: now)
                guard case .wait(let until) = retry.failed(with: .throttled, at: now, random: random.next()) else {
                    return
                }
                longest[attempt] = max(longest[attempt], until - now)
                shortest[attempt] = min(shortest[attempt], until - now)
                now = until
            }
        }
        for attempt in 0..<7 {
            let bound = min(1000, Int64(100) << attempt)
            #expect(longest[attempt] <= bound && longest[attempt] >= bound * 99 / 100)
            #expect(shortest[attempt] <= bound / 100)
        }
    }

    @Test func `numbers that make no sense crash nothing`() {
        var limits = UpstreamLimits()
        limits.callTimeout = .max
        limits.attemptTimeout = .max
        limits.retryBackoff = .max
        limits.longestRetryBackoff = .max
        limits.attempts = .max
        for (endpoints, first) in [(0, 0), (-1, -1), (1, 5), (.max, .max), (.min, .min)] {
            for now in [Int64.min, 0, .max] {
                var retry = Retry(endpoints: endpoints, first: first, at: now, limits: limits)
                _ = retry.next(at: now)
                _ = retry.failed(with: .network, at: now, random: .max)
                _ = retry.next(at: .max)
                _ = retry.postponed(until: .max, because: .network, at: now)
                _ = retry.declined(because: .network)
            }
        }
    }

    @Test func `an attempt that waits its turn is none until it is made`() {
        var limits = UpstreamLimits()
        limits.callsPerSecond = 10
        limits.callBurst = 1
        var budget = CallBudget(limits: limits, at: 0)
        var breaker = Breaker(limits: limits)
        var first = Retry(endpoints: 2, at: 0, limits: limits)
        #expect(first.next(at: 0, past: &breaker, within: &budget) == .attempt(endpoint: 0, until: 2000))
        var second = Retry(endpoints: 2, at: 0, limits: limits)
        #expect(second.next(at: 0, past: &breaker, within: &budget) == .wait(until: 100))
        #expect(second.attempts == 0)
        var third = Retry(endpoints: 2, at: 0, limits: limits)
        #expect(third.next(at: 0, past: &breaker, within: &budget) == .wait(until: 200))
        // A turn is kept, and used once.
        #expect(third.next(at: 200, past: &breaker, within: &budget) == .attempt(endpoint: 0, until: 2200))
        #expect(second.next(at: 100, past: &breaker, within: &budget) == .attempt(endpoint: 0, until: 2100))
        #expect(second.failed(with: .network, at: 200, random: 0, past: &breaker) == .wait(until: 200))
        #expect(second.next(at: 200, past: &breaker, within: &budget) == .wait(until: 300))
        #expect(second.attempts == 1)
    }

    @Test func `a call for which there is no room in the budget is over at once`() {
        var limits = UpstreamLimits()
        limits.callsPerSecond = 1
        limits.callBurst = 1
        var budget = CallBudget(limits: limits, at: 0)
        var breaker = Breaker(limits: limits)
        var answers: [Retry.Step] = []
        for _ in 0..<4 {
            var retry = Retry(endpoints: 1, at: 0, limits: limits)
            answers.append(retry.next(at: 0, past: &breaker, within: &budget))
            if answers.count > 2 { #expect(retry.attempts == 0) }
        }
        let over = Retry.Step.giveUp(.overBudget(until: 1000))
        #expect(answers == [.attempt(endpoint: 0, until: 2000), .wait(until: 1000), over, over])
    }

    @Test func `an open breaker ends a call at once, and costs nothing of the budget`() {
        var limits = UpstreamLimits()
        limits.breakerThreshold = 2
        var budget = CallBudget(limits: limits, at: 0)
        var breaker = Breaker(limits: limits)
        var call = Retry(endpoints: 1, at: 0, limits: limits)
        _ = call.next(at: 0, past: &breaker, within: &budget)
        #expect(call.failed(with: .network, at: 1, random: 0, past: &breaker) == .wait(until: 1))
        _ = call.next(at: 1, past: &breaker, within: &budget)
        #expect(call.failed(with: .network, at: 2, random: 0, past: &breaker) == .wait(until: 2))
        #expect(call.next(at: 2, past: &breaker, within: &budget) == .giveUp(.breakerOpen(until: 1202)))
        for _ in 0..<1000 {
            var other = Retry(endpoints: 1, at: 3, limits: limits)
            #expect(other.next(at: 3, past: &breaker, within: &budget) == .giveUp(.breakerOpen(until: 1202)))
        }
        for _ in 0..<48 { #expect(budget.take(at: 3) == .now) }
        #expect(budget.take(at: 3) != .now)
    }

    @Test func `a dropped call gives the probe back, and a success closes the breaker`() {
        var limits = UpstreamLimits()
        limits.breakerThreshold = 1
        var budget = CallBudget(limits: limits, at: 0)
        var breaker = Breaker(limits: limits)
        var call = Retry(endpoints: 1, at: 0, limits: limits)
        _ = call.next(at: 0, past: &breaker, within: &budget)
        _ = call.failed(with: .unavailable, at: 0, random: 0, past: &breaker)
        var probe = Retry(endpoints: 1, at: 1500, limits: limits)
        #expect(probe.next(at: 1500, past: &breaker, within: &budget) == .attempt(endpoint: 0, until: 3500))
        #expect(breaker.state == .halfOpen)
        probe.abandoned(at: 1501, past: &breaker)
        #expect(breaker.state == .open)
        var next = Retry(endpoints: 1, at: 1501, limits: limits)
        #expect(next.next(at: 1501, past: &breaker, within: &budget) == .attempt(endpoint: 0, until: 3501))
        next.succeeded(at: 1600, past: &breaker)
        #expect(breaker.state == .closed)
    }
}
