import Access
import HTTP
import Net

/// Counts how often who asks, for all loops together. It outlives configurations, so that nobody begins anew with the next.
package final class RateLimiter: Sendable {
    /// Somebody who is counted, and how often that may be.
    struct Count {
        let rate: Rate
        let identity: RateTable.Identity
    }

    private let table: Guarded<RateTable>

    /// - Parameter identities: how many are told apart at a time.
    package init(identities: Int) { table = Guarded(RateTable(capacity: identities)) }

    /// Takes a token, if there is one.
    func take(_ count: Count, at instant: Instant) -> RateStanding {
        table.withLock { $0.take(count.rate, for: count.identity, at: instant.monotonic) }
    }

    /// What there is, without taking it.
    func look(_ count: Count, at instant: Instant) -> RateStanding {
        table.withLock { $0.look(count.rate, for: count.identity, at: instant.monotonic) }
    }

    /// Takes a token of each, or of none where one has none.
    /// - Returns: the standing that refuses, else the one with the fewest tokens left.
    func take(_ first: Count, _ second: Count, at instant: Instant) -> RateStanding {
        table.withLock { table in
            for count in [first, second] {
                let standing = table.look(count.rate, for: count.identity, at: instant.monotonic)
                if !standing.isAllowed { return standing }
            }
            let one = table.take(first.rate, for: first.identity, at: instant.monotonic)
            let other = table.take(second.rate, for: second.identity, at: instant.monotonic)
            return one.remaining <= other.remaining ? one : other
        }
    }
}

extension RateTable.Identity {
    private enum Rule: UInt8 { case address, caller, callerOfGrant, grant }

    init(_ address: ClientAddress) { self.init(.address, of: nil, who: RateTable.Identity.hash(address)) }

    init(_ caller: Caller, from address: ClientAddress, of grant: Grant? = nil) {
        self.init(
            grant == nil ? .caller : .callerOfGrant, of: grant, who: RateTable.Identity.hash(caller, from: address))
    }

    init(_ grant: Grant) { self.init(.grant, of: grant, who: 0) }

    private init(_ rule: Rule, of grant: Grant?, who: UInt64) {
        var hasher = Hasher()
        hasher.combine(rule.rawValue)
        if let grant { hasher.add(grant.name) }
        self.init(rule: UInt64(bitPattern: Int64(hasher.finalize())), who: who)
    }

    private static func hash(_ address: ClientAddress) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(address.network)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Somebody without a name is told from others by where he is.
    private static func hash(_ caller: Caller, from address: ClientAddress) -> UInt64 {
        if caller.principal.kind == .anonymous { return hash(address) }
        var hasher = Hasher()
        hasher.combine(caller.principal.kind)
        hasher.add(caller.principal.id)
        hasher.add(caller.principal.subject)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Hasher {
    fileprivate mutating func add(_ bytes: [UInt8]) {
        combine(bytes.count)
        // Unsafe: the bytes are lent for the call.
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    }
}
