/// How long a value that has come is used.
package enum Lifetime: Sendable {
    /// Until a date, which may be anything: it is refreshed at half of its life, by the stricter of both clocks.
    /// - Parameters:
    ///   - expiresAt: seconds since 1970, as the vendor says.
    ///   - issuedAt: seconds since 1970 by the vendor's clock, that is, the Date of its answer; ours if it gave none.
    ///   - longest: the seconds that were asked for; nil when none were.
    case dated(expiresAt: Int64, issuedAt: Int64, longest: Int64?)
    /// For `keep` milliseconds from when it came; refreshed after `refresh`.
    case fixed(refresh: Int64, keep: Int64)
}
