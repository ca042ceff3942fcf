/// How far a rate holds.
package struct RateScope: Sendable, Equatable {
    /// How many replicas share it; 1 for a service that is alone.
    package var replicas: Int64 = 1
    /// Whether tokens are leased of buckets that all replicas share. If not, each replica gives out its share of the rate.
    package var isShared = false
    /// The time for which a lease holds tokens, in milliseconds, where more than a small lease has come in it; 0 for a service that is alone.
    package var lease: Int64 = 0

    package init() {}

    /// Tokens that any rate may have leased at a time.
    static let smallLease: Int64 = 16

    /// The most tokens of a rate that a replica may hold, and the most that it may have used in advance; together they are a lease:
    /// what comes in the time of one, or up to 16 of a quarter of the replica's share.
    package func half(of rate: Rate) -> Int64 {
        let small = min(rate.count / (4 * max(1, replicas)), RateScope.smallLease)
        return max(1, min(max(rate.tokens(in: lease), small), rate.count) / 2)
    }
}
