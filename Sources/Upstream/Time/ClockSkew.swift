import Bytes

/// How far our clock is from a vendor's: beyond five minutes nothing is issued (R17).
///
/// A vendor's Date is remembered together with the monotonic clock, and carried on by it: when our own clock jumps, that
/// shows at once, and when it is put right again, that shows too. Only a vendor that was wrong itself must be asked again.
package struct ClockSkew: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// They agree, or the vendor's is not known yet.
        case fine
        /// Ours is ahead by so many seconds; behind, if negative.
        case off(by: Int64)
    }

    private struct Observation { let date: Int64, monotonic: Int64 }

    private let tolerance: Int64
    private let pause: Int64
    private var observation: Observation?
    private var recheckedAt: Int64?

    package init(limits: UpstreamLimits = UpstreamLimits()) {
        tolerance = max(0, limits.skew)
        pause = limits.skewRecheck
    }

    /// A vendor's answer came.
    /// - Parameter date: its Date field; seconds since 1970.
    package mutating func observe(vendorDate date: Int64, at now: Instant) {
        observation = Observation(date: date, monotonic: now.monotonic)
        recheckedAt = now.monotonic
    }

    package func judge(at now: Instant) -> Verdict {
        guard let observation else { return .fine }
        let passed = max(0, now.monotonic.minus(observation.monotonic)) / 1000
        let skew = now.unixSeconds.minus(observation.date.plus(passed))
        return skew.magnitude > tolerance.magnitude ? .off(by: skew) : .fine
    }

    /// Whether the caller, who issues nothing because the clocks disagree, should make a call only to see the vendor's
    /// Date again. It is true for one in each `skewRecheck`, and only while they disagree.
    package mutating func takesRecheck(at now: Instant) -> Bool {
        guard judge(at: now) != .fine, now.monotonic.minus(recheckedAt ?? .min) >= pause else { return false }
        recheckedAt = now.monotonic
        return true
    }
}
