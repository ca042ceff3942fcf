import Bytes
import Testing

@testable import Upstream

@Suite struct ClockSkewTests {
    /// By how many seconds our clock is ahead of the vendor's, and whether something is issued.
    static let distances: [(Int64, Bool)] = [
        (0, true), (1, true), (300, true), (-300, true), (301, false), (-301, false), (1200, false), (-1200, false),
        (3600, false), (-31_536_000, false),
    ]

    @Test(arguments: distances)
    func `R17: beyond five minutes nothing is issued`(ahead: Int64, fine: Bool) {
        let clocks = ManualClocks()
        var skew = ClockSkew()
        #expect(skew.judge(at: clocks.now) == .fine)
        skew.observe(vendorDate: clocks.unixSeconds - ahead, at: clocks.now)
        #expect(skew.judge(at: clocks.now) == (fine ? .fine : .off(by: ahead)))
    }

    @Test(arguments: [Int64(3600), -3600, 301, -301])
    func `a jump of our clock shows at once, and so does its end`(jump: Int64) {
        var clocks = ManualClocks()
        var skew = ClockSkew()
        skew.observe(vendorDate: clocks.unixSeconds, at: clocks.now)
        clocks.advance(seconds: 86_400)
        #expect(skew.judge(at: clocks.now) == .fine)
        clocks.unixSeconds += jump
        #expect(skew.judge(at: clocks.now) == .off(by: jump))
        clocks.unixSeconds -= jump
        #expect(skew.judge(at: clocks.now) == .fine)
    }

    @Test func `while they disagree one call in three seconds looks again, and a right date ends it`() {
        var clocks = ManualClocks()
        var skew = ClockSkew()
        let before = skew.takesRecheck(at: clocks.now)
        #expect(!before)
        skew.observe(vendorDate: clocks.unixSeconds - 1200, at: clocks.now)
        var rechecks = 0
        for _ in 0..<3000 {
            if skew.takesRecheck(at: clocks.now) { rechecks += 1 }
            clocks.monotonic += 10
        }
        #expect(rechecks == 9)
        clocks.unixSeconds += 30
        skew.observe(vendorDate: clocks.unixSeconds + 2, at: clocks.now)
        #expect(skew.judge(at: clocks.now) == .fine)
        clocks.advance(seconds: 60)
        let after = skew.takesRecheck(at: clocks.now)
        #expect(!after)
    }

    @Test func `dates that make no sense crash nothing`() {
        for date in [Int64.min, 0, .max] {
            for unix in [Int64.min, 0, .max] {
                for monotonic in [Int64.min, 0, .max] {
                    var skew = ClockSkew()
                    skew.observe(vendorDate: date, at: Instant(unixSeconds: unix, monotonic: monotonic))
                    for later in [Int64.min, 0, .max] {
                        _ = skew.judge(at: Instant(unixSeconds: later, monotonic: later))
                        _ = skew.takesRecheck(at: Instant(unixSeconds: later, monotonic: later))
                    }
                }
            }
        }
    }
}
