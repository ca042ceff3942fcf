import Bytes
import Testing

@testable import Upstream

/// How long a credential is believed: dates from outside, and clocks that jump.
@Suite struct ExpiryTests {
    /// Life in seconds, by how many seconds the vendor's clock is ahead of ours, whether it is served.
    static let lives: [(Int64, Int64, Bool)] = [
        (3600, 0, true), (3600, 299, true), (3600, -299, true), (900, -299, true), (60, 0, true), (59, 0, false),
        (0, 0, false), (-1, 0, false), (-3600, 0, false), (.max, 0, true), (.min, 0, false), (3600, -3600, false),
        (3600, -3541, false), (3600, -3540, true), (.max, .max, false), (.min, .max, false), (.max, .min, false),
    ]

    @Test(arguments: lives)
    func `a credential that has ended when it comes is a fault, by whichever clock`(
        life: Int64, ahead: Int64, served: Bool
    ) throws {
        var bench = SlotBench()
        _ = bench.ask()
        let answer = bench.succeed(1, life: life, issuedAt: bench.clocks.unixSeconds.plus(ahead))
        #expect(answer == (served ? "serve 1" : "refuse expired 1"))
        #expect(bench.state == (served ? .fresh : .failed(until: bench.clocks.monotonic + 125)))
        bench.clocks.advance(seconds: bench.limits.longestLife + 1)
        #expect(bench.ask() == "start")
    }

    @Test func `it is believed no longer than was asked for, nor than any session can last`() throws {
        for (longest, most) in [(Int64?(900), Int64(900)), (nil, 43_200), (.max, 43_200), (50_000, 43_200)] {
            var bench = SlotBench()
            _ = bench.ask()
            #expect(bench.succeed(1, life: 1_000_000, longest: longest) == "serve 1")
            let floor = min(600, most / 3)
            bench.clocks.advance(seconds: most - floor - 2)
            #expect(bench.ask() == "serve 1, refresh")
            bench.clocks.advance(seconds: 2)
            #expect(bench.ask() == "wait")
        }
        var bench = SlotBench()
        for longest in [Int64(0), -1, .min] {
            _ = bench.ask()
            #expect(bench.succeed(1, life: 3600, longest: longest) == "refuse expired 1")
            bench.clocks.advance(seconds: 10)
        }
    }

    @Test func `its life counts from the beginning of its fetch`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        bench.clocks.monotonic += 10_000
        _ = bench.succeed(1, life: 3600)
        bench.clocks.monotonic += 1_788_999
        #expect(bench.ask() == "serve 1")
        bench.clocks.monotonic += 1
        #expect(bench.ask() == "serve 1, refresh")
    }

    @Test(arguments: [Int64(-3600), -600, 600, 3600])
    func `a wall clock that jumps neither hands out a dead one nor loses a living one`(jump: Int64) throws {
        for life in [Int64(900), 3600, 7200] {
            for moment in stride(from: Int64(0), to: life, by: 60) {
                var bench = SlotBench()
                _ = bench.ask()
                _ = bench.succeed(1, life: life)
                bench.clocks.advance(seconds: moment)
                bench.clocks.unixSeconds += jump
                let left = min(life - moment, life - moment - jump)
                let floor = min(600, life / 3)
                let answer = bench.ask()
                #expect(answer.hasPrefix("serve 1") == (left > floor), "\(life) \(moment)")
                // Whatever the call that it may have begun brings, nothing changes when the clock jumps back.
                if answer == "start" || answer.hasSuffix("refresh") { _ = bench.fail(.expired) }
                bench.clocks.unixSeconds -= jump
                if life - moment > floor { #expect(bench.ask().hasPrefix("serve 1"), "\(life) \(moment)") }
                // By the monotonic clock alone it ends in time, however far the wall clock is behind.
                bench.clocks.unixSeconds -= 3600
                bench.clocks.advance(seconds: max(0, life - moment - floor))
                let last = bench.ask()
                #expect(last == "start" || last == "wait" || last.hasPrefix("refuse"))
            }
        }
    }

    @Test func `a clock an hour ahead makes no storm of calls, and the old credential outlives it`() throws {
        var bench = SlotBench()
        bench.random = .max
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        bench.clocks.unixSeconds += 3600
        var calls = 0
        for _ in 0..<6_000 {
            if bench.ask() == "start" {
                calls += 1
                let answer = bench.succeed(2, life: 3600, issuedAt: bench.clocks.unixSeconds - 3600)
                #expect(answer.hasPrefix("refuse expired"))
            }
            bench.clocks.monotonic += 10
        }
        #expect(calls <= 60_000 / 1_500 + 4)
        bench.clocks.unixSeconds += 60 - 3600
        #expect(bench.ask() == "serve 1")
    }

    @Test func `a clock that is ahead makes a life short, but not one of endless refreshes`() throws {
        var bench = SlotBench()
        var calls = 0
        for _ in 0..<36_000 {
            let answer = bench.ask()
            if answer == "start" || answer.hasSuffix("refresh") {
                calls += 1
                // An hour by the vendor's clock, which is 40 minutes behind ours.
                #expect(bench.succeed(1, life: 3600, issuedAt: bench.clocks.unixSeconds - 2400) == "serve 1")
            }
            bench.clocks.advance(seconds: 1)
        }
        #expect(calls <= 36_000 / 590)
    }

    @Test func `a monotonic clock that went back would crash nothing`() throws {
        var bench = SlotBench()
        _ = bench.ask()
        _ = bench.succeed(1, life: 3600)
        for monotonic in [Int64.min, -1, 0, 1, .max] {
            bench.clocks.monotonic = monotonic
            for unix in [Int64.min, -1, 0, 1, .max] {
                bench.clocks.unixSeconds = unix
                _ = bench.ask()
                _ = bench.fail(.network)
                _ = bench.ask()
                _ = bench.succeed(2, life: .max, issuedAt: unix)
                _ = bench.state
                _ = bench.slot.isSpent(at: bench.clocks.now, bench.policy)
            }
        }
    }
}
