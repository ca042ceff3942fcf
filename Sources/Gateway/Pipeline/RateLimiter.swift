import Access
import Bytes
import HTTP
import Net

/// Counts the requests of each caller, address and grant, for all loops together. It outlives configurations, so that a reload
/// does not reset the counts.
///
/// There is a table for each kind of identity, by who can make up new ones: strangers, who need only addresses; callers who have
/// authenticated; and the operator, who names the grants. So nobody pushes out anybody of another kind.
package final class RateLimiter: Sendable {
    /// An identity that is counted, with its rate.
    struct Count {
        fileprivate enum Table { case strangers, callers, grants }

        let rate: Rate
        fileprivate let table: Table
        fileprivate let identity: RateTable.Identity

        /// What an address asks for.
        init(_ rate: Rate, for address: ClientAddress) {
            self.init(rate, in: .strangers, .address, who: RateTable.Identity.hash(address))
        }

        /// What an address wastes of TLS handshakes.
        init(_ rate: Rate, forHandshakesOf address: ClientAddress) {
            self.init(rate, in: .strangers, .handshake, who: RateTable.Identity.hash(address))
        }

        /// What a caller asks for, or what it gets by a grant. One without a name is told from others by its address.
        init(_ rate: Rate, for caller: Caller, at address: ClientAddress, of grant: Grant? = nil) {
            let isKnown = caller.principal.kind != .anonymous
            self.init(
                rate, in: isKnown ? .callers : .strangers, grant == nil ? .caller : .callerOfGrant, of: grant,
                who: RateTable.Identity.hash(caller, from: address))
        }

        /// What all callers together get by a grant.
        init(_ rate: Rate, for grant: Grant) { self.init(rate, in: .grants, .grant, of: grant, who: 0) }

        private enum Rule: UInt8 { case address, handshake, caller, callerOfGrant, grant }

        private init(_ rate: Rate, in table: Table, _ rule: Rule, of grant: Grant? = nil, who: UInt64) {
            var hasher = Hasher()
            hasher.combine(rule.rawValue)
            if let grant { hasher.add(grant.name) }
            self.rate = rate
            self.table = table
            identity = RateTable.Identity(rule: UInt64(bitPattern: Int64(hasher.finalize())), who: who)
        }
    }

    private struct Tables: ~Copyable {
        var strangers, callers, grants: RateTable

        mutating func take(_ count: Count, at now: Int64) -> RateStanding {
            switch count.table {
            case .strangers: strangers.take(count.rate, for: count.identity, at: now)
            case .callers: callers.take(count.rate, for: count.identity, at: now)
            case .grants: grants.take(count.rate, for: count.identity, at: now)
            }
        }

        func look(_ count: Count, at now: Int64) -> RateStanding {
            switch count.table {
            case .strangers: strangers.look(count.rate, for: count.identity, at: now)
            case .callers: callers.look(count.rate, for: count.identity, at: now)
            case .grants: grants.look(count.rate, for: count.identity, at: now)
            }
        }
    }

    private let tables: Guarded<Tables>

    /// - Parameter identities: how many are told apart at a time, of each kind.
    package init(identities: Int) {
        tables = Guarded(
            Tables(
                strangers: RateTable(capacity: identities), callers: RateTable(capacity: identities),
                grants: RateTable(capacity: identities)))
    }

    /// Takes a token, if there is one.
    func take(_ count: Count, at instant: Instant) -> RateStanding {
        tables.withLock { $0.take(count, at: instant.monotonic) }
    }

    /// What there is, without taking it.
    func look(_ count: Count, at instant: Instant) -> RateStanding {
        tables.withLock { $0.look(count, at: instant.monotonic) }
    }

    /// Takes a token of each, or of none where one has none.
    /// - Returns: the standing that refuses, else the one with the fewest tokens left.
    func take(_ first: Count, _ second: Count, at instant: Instant) -> RateStanding {
        tables.withLock { tables in
            for count in [first, second] {
                let standing = tables.look(count, at: instant.monotonic)
                if !standing.isAllowed { return standing }
            }
            let one = tables.take(first, at: instant.monotonic)
            let other = tables.take(second, at: instant.monotonic)
            return one.remaining <= other.remaining ? one : other
        }
    }
}

extension RateTable.Identity {
    /// Tells callers from each other, and those without a name by their addresses.
    static func hash(_ caller: Caller, from address: ClientAddress) -> UInt64 {
        caller.principal.kind == .anonymous ? hash(address) : hash(caller.principal)
    }

    /// Callers that have a name are told apart by it.
    static func hash(_ principal: Principal) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(principal.kind)
        hasher.add(principal.id)
        hasher.add(principal.subject)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    fileprivate static func hash(_ address: ClientAddress) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(address.network)
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
