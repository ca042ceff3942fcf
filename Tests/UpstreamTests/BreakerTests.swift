import TestTraits
import Testing

@testable import Upstream

@Suite struct BreakerTests {
    private let limits = UpstreamLimits()

    private func pass(_ breaker: inout Breaker, at now: Int64) throws -> Breaker.Pass {
        guard case .pass(let pass) = breaker.ask(at: now) else { throw FixtureError() }
        return pass
    }

    /// A breaker that opened at `now`, until 1,500 ms later.
    private func opened(at now: Int64) throws -> Breaker {
        var breaker = Breaker()
        for _ in 0..<limits.breakerThreshold {
            let pass = try pass(&breaker, at: now)
            breaker.finished(pass, with: .network, at: now, random: .max / 2)
        }
        return breaker
    }

    @Test func `failures in a row open it, and a success between them starts the count anew`() throws {
        var breaker = Breaker()
        for _ in 0..<10 {
            for _ in 0..<(limits.breakerThreshold - 1) {
                let pass = try pass(&breaker, at: 0)
                breaker.finished(pass, with: .unavailable, at: 0, random: 0)
            }
            let last = try pass(&breaker, at: 0)
            breaker.finished(last, with: nil, at: 0, random: 0)
            #expect(breaker.state == .closed)
        }
        let open = try opened(at: 0)
        #expect(open.state == .open)
        #expect(open.refusal(at: 0) == 1500)
    }

    /// A fault, and whether it counts.
    static let faults: [(UpstreamFault, Bool)] = [
        (.network, true), (.unavailable, true), (.throttled, true), (.malformed, true), (.refused, false),
        (.expired, false), (.clockOff, false), (.breakerOpen(until: 0), false), (.overBudget(until: 0), false),
    ]

    @Test(arguments: faults)
    func `only what is the vendor's failure counts`(fault: UpstreamFault, counts: Bool) throws {
        var breaker = Breaker()
        for _ in 0..<100 {
            guard case .pass(let pass) = breaker.ask(at: 0) else { break }
            breaker.finished(pass, with: fault, at: 0, random: 0)
        }
        #expect((breaker.state == .open) == counts)
    }

    @Test func `open, it refuses all until its time; then exactly one probe passes`() throws {
        var breaker = try opened(at: 0)
        for now in stride(from: Int64(0), to: 1500, by: 10) { #expect(breaker.ask(at: now) == .refuse(until: 1500)) }
        let probe = try pass(&breaker, at: 1500)
        #expect(probe.isProbe)
        #expect(breaker.state == .halfOpen)
        for _ in 0..<1000 { #expect(breaker.ask(at: 1510) == .refuse(until: 1710)) }
        breaker.finished(probe, with: nil, at: 1600, random: 0)
        #expect(breaker.state == .closed)
        let after = try pass(&breaker, at: 1600)
        #expect(!after.isProbe)
    }

    @Test func `a failed probe opens it again, one that shows nothing lets the next one go`() throws {
        var breaker = try opened(at: 0)
        let probe = try pass(&breaker, at: 2000)
        breaker.finished(probe, with: .network, at: 2100, random: .max / 2)
        #expect(breaker.ask(at: 2100) == .refuse(until: 3600))
        let unmade = try pass(&breaker, at: 3600)
        breaker.abandoned(unmade, at: 3600)
        let third = try pass(&breaker, at: 3600)
        #expect(third.isProbe)
        breaker.finished(third, with: .overBudget(until: 0), at: 3601, random: 0)
        let fourth = try pass(&breaker, at: 3601)
        breaker.finished(fourth, with: .refused, at: 3700, random: 0)
        #expect(breaker.state == .closed)
    }

    @Test func `a probe that nobody reports is given up, and there is still one at a time`() throws {
        var breaker = try opened(at: 0)
        let lost = try pass(&breaker, at: 1500)
        #expect(breaker.ask(at: 3999) == .refuse(until: 4000))
        let next = try pass(&breaker, at: 4000)
        #expect(next.isProbe)
        #expect(breaker.ask(at: 4000) == .refuse(until: 4200))
        breaker.finished(lost, with: nil, at: 4001, random: 0)
        #expect(breaker.state == .halfOpen)
        breaker.finished(next, with: nil, at: 4002, random: 0)
        #expect(breaker.state == .closed)
    }

    @Test func `what was begun before it opened has no say after`() throws {
        var breaker = Breaker()
        let slow = try pass(&breaker, at: 0)
        let slower = try pass(&breaker, at: 0)
        for _ in 0..<limits.breakerThreshold {
            let pass = try pass(&breaker, at: 1)
            breaker.finished(pass, with: .network, at: 1, random: .max / 2)
        }
        breaker.finished(slow, with: nil, at: 2, random: 0)
        #expect(breaker.state == .open)
        let probe = try pass(&breaker, at: 1501)
        breaker.finished(slower, with: .network, at: 1502, random: 0)
        #expect(breaker.state == .halfOpen)
        breaker.finished(probe, with: nil, at: 1503, random: 0)
        for _ in 0..<100 { breaker.finished(slower, with: .network, at: 1504, random: 0) }
        #expect(breaker.state == .closed)
    }

    @Test func `it stays open for its time give or take a fifth, over 10,000 seeds, and never for more than 3 s`()
        throws
    {
        var times: [Int64] = []
        for seed in 0..<10_000 {
            var random = SplitMix64(seed: UInt64(seed))
            var breaker = try opened(at: 0)
            let probe = try pass(&breaker, at: 2000)
            breaker.finished(probe, with: .network, at: 2000, random: random.next())
            times.append((breaker.refusal(at: 2000) ?? 0) - 2000)
        }
        let (low, high) = (times.min() ?? 0, times.max() ?? 0)
        #expect(low >= 1200 && low < 1210)
        #expect(high <= 1800 && high > 1790)
    }

    private func fail(
        _ breaker: inout Breaker, _ callers: [UInt64], with fault: UpstreamFault = .unavailable, at now: Int64 = 0
    )
        throws
    {
        for caller in callers {
            guard case .pass(let pass) = breaker.ask(at: now, for: .caller(caller)) else { throw FixtureError() }
            breaker.finished(pass, with: fault, at: now, random: .max / 2)
        }
    }

    @Test func `failures of fewer than three callers never open it, and those of three do`() throws {
        var breaker = Breaker()
        try fail(&breaker, Array(repeating: 1, count: 1000) + Array(repeating: 2, count: 1000))
        #expect(breaker.state == .closed)
        try fail(&breaker, [3])
        #expect(breaker.state == .open)
        var other = Breaker()
        try fail(&other, [1, 2, 3, 4])
        #expect(other.state == .closed)
        try fail(&other, [1])
        #expect(other.state == .open)
    }

    @Test func `a success forgets the callers that had failed`() throws {
        var breaker = Breaker()
        for _ in 0..<10 {
            try fail(&breaker, [1, 2, 1, 2, 1, 2])
            breaker.finished(try pass(&breaker, at: 0), with: nil, at: 0, random: 0)
        }
        #expect(breaker.state == .closed)
    }

    @Test func `one failure of the service's own call among a caller's opens it`() throws {
        var breaker = Breaker()
        try fail(&breaker, [1, 1, 1, 1])
        breaker.finished(try pass(&breaker, at: 0), with: .unavailable, at: 0, random: 0)
        #expect(breaker.state == .open)
    }

    @Test func `an answer to a caller that cannot be read does not open it, and closes it after a probe`() throws {
        var breaker = Breaker()
        try fail(&breaker, Array(1...100), with: .malformed)
        #expect(breaker.state == .closed)
        try fail(&breaker, [1, 2, 3, 4, 5])
        #expect(breaker.state == .open)
        try fail(&breaker, [1], with: .malformed, at: 1500)
        #expect(breaker.state == .closed)
    }

    @Test func `a caller whose probe failed lets the others try before it does so again`() throws {
        var breaker = Breaker()
        try fail(&breaker, [1, 2, 3, 4, 5])
        try fail(&breaker, [1], at: 1500)
        #expect(breaker.ask(at: 3000, for: .caller(1)) == .refuse(until: 4500))
        guard case .pass(let probe) = breaker.ask(at: 3000, for: .caller(2)) else { throw FixtureError() }
        breaker.finished(probe, with: nil, at: 3000, random: 0)
        #expect(breaker.state == .closed)
        // Where nobody else asks, it may.
        try fail(&breaker, [1, 2, 3, 4, 5], at: 5000)
        try fail(&breaker, [1], at: 6500)
        guard case .pass = breaker.ask(at: 9500, for: .caller(1)) else { throw FixtureError() }
    }

    @Test func `a call that may take long is no probe, and passes where the breaker is closed`() throws {
        var breaker = Breaker()
        var slow = CallSource.caller(1)
        slow.mayProbe = false
        guard case .pass = breaker.ask(at: 0, for: slow) else { throw FixtureError() }
        try fail(&breaker, [1, 2, 3, 4, 5])
        #expect(breaker.ask(at: 2000, for: slow) == .refuse(until: 2200))
        guard case .pass(let probe) = breaker.ask(at: 2000, for: .caller(2)) else { throw FixtureError() }
        #expect(probe.isProbe)
    }

    @Test func `numbers that make no sense crash nothing`() {
        for extreme in [Int64.min, -1, 0, .max] {
            var limits = UpstreamLimits()
            limits.breakerOpen = extreme
            limits.attemptTimeout = extreme
            limits.probePause = extreme
            limits.breakerThreshold = Int(extreme)
            var breaker = Breaker(limits: limits)
            for now in [Int64.min, 0, .max, 0, .min] {
                guard case .pass(let pass) = breaker.ask(at: now) else { continue }
                breaker.finished(pass, with: .network, at: now, random: .max)
            }
        }
    }
}
