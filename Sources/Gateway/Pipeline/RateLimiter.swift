import Access
import Bytes
import HTTP
import Net

/// Counts the requests of each caller, address and grant, for all loops together. It outlives configurations, so that a reload
/// does not reset the counts.
///
/// There is a table for each kind of identity, by who can make up new ones: strangers, who need only addresses; callers who have
/// authenticated; and the operator, who names the grants. So nobody pushes out anybody of another kind.
///
/// Where several replicas share their rates (`RateScope`), tokens are taken of leases, and others are asked for by `whenWanted`.
package final class RateLimiter: Sendable {
    /// An identity that is counted, with its rate.
    struct Count: Sendable {
        fileprivate enum Table { case strangers, callers, grants }

        /// What a table needs to know of it. It has no references, so that handing it on costs nothing.
        fileprivate struct Bucket: Sendable {
            let rate: Rate
            let table: Table
            let identity: RateTable.Identity
        }

        fileprivate let bucket: Bucket
        var rate: Rate { bucket.rate }
        private let rule: Rule
        private var grant: Grant?
        private var principal: Caller?
        private var address = ClientAddress.none

        /// What an address asks for.
        init(_ rate: Rate, for address: ClientAddress) {
            self.init(rate, in: .strangers, .address, at: address)
        }

        /// What an address wastes of TLS handshakes.
        init(_ rate: Rate, forHandshakesOf address: ClientAddress) {
            self.init(rate, in: .strangers, .handshake, at: address)
        }

        /// What a caller asks for, or what it gets by a grant. One without a name is told from others by its address.
        init(_ rate: Rate, for caller: Caller, at address: ClientAddress, of grant: Grant? = nil) {
            let isKnown = !caller.principal.isAnonymous
            self.init(
                rate, in: isKnown ? .callers : .strangers, grant == nil ? .caller : .callerOfGrant, of: grant,
                for: isKnown ? caller : nil, at: isKnown ? .none : address)
        }

        /// What all callers together get by a grant.
        init(_ rate: Rate, for grant: Grant) { self.init(rate, in: .grants, .grant, of: grant) }

        private enum Rule: UInt8, CaseIterable { case address, handshake, caller, callerOfGrant, grant }

        /// A hash of each rule, by its number. Rule, grant and caller or address are hashed each by itself, by a key that no client
        /// knows, so that no hash of two of them is worked out for a request.
        private static let rules = Rule.allCases.map { RateTable.Identity.hash($0.rawValue) }

        private init(
            _ rate: Rate, in table: Table, _ rule: Rule, of grant: Grant? = nil, for caller: Caller? = nil,
            at address: ClientAddress = .none
        ) {
            self.rule = rule
            self.grant = grant
            principal = caller
            self.address = address
            let who = caller?.hash ?? (rule == .grant ? 0 : RateTable.Identity.hash(address.network))
            let identity = RateTable.Identity(rule: Count.rules[Int(rule.rawValue)] ^ (grant?.hash ?? 0), who: who)
            bucket = Bucket(rate: rate, table: table, identity: identity)
        }

        /// What it is called by all replicas: the rule, the grant, the caller or the address, each with its length.
        var name: [UInt8] {
            var name = ByteWriter()
            name.append(rule.rawValue)
            let parts = [
                grant?.name ?? [], Array(text: principal?.principal.kind.rawValue ?? ""), principal?.principal.id ?? [],
                principal?.principal.subject ?? [],
            ]
            for part in parts {
                name.append(decimal: part.count)
                name.append(":")
                name.append(part)
            }
            address.network.write(into: &name)
            return name.array
        }
    }

    /// Tokens that are to be leased of what all replicas share.
    struct WantedLease: Sendable {
        let count: Count
        let wanted: LeaseTable.Wanted
    }

    /// What is counted of one kind of identity.
    private struct Counts: ~Copyable {
        /// Of a service that is alone all; of a replica its share, which is counted on for when there are no leases to be had.
        private var own: RateTable
        private var leases: LeaseTable

        init(identities: Int) {
            own = RateTable(capacity: identities)
            leases = LeaseTable(capacity: identities)
        }

        mutating func take(
            _ count: Count.Bucket, in scope: RateScope, at now: Int64, _ wanted: inout LeaseTable.Wanted?
        ) -> RateStanding {
            let (rate, identity) = (count.rate, count.identity)
            let share = rate.share(among: scope.replicas)
            guard scope.isShared else {
                let standing = own.take(share, for: identity, at: now)
                if scope.lease > 0, standing.isAllowed { leases.owe(standing, for: identity, at: now) }
                return standing
            }
            let standing = leases.take(rate, for: identity, in: scope, at: now, wanted: &wanted)
            if standing.isAllowed { _ = own.take(share, for: identity, at: now) }
            return standing
        }

        /// What there is, without taking it; where that is nothing, some is asked for.
        mutating func look(
            _ count: Count.Bucket, in scope: RateScope, at now: Int64, _ wanted: inout LeaseTable.Wanted?
        ) -> RateStanding {
            let (rate, identity) = (count.rate, count.identity)
            guard scope.isShared else { return own.look(rate.share(among: scope.replicas), for: identity, at: now) }
            let standing = leases.look(rate, for: identity, in: scope, at: now)
            if !standing.isAllowed { wanted = leases.ask(rate, for: identity, in: scope, at: now) }
            return standing
        }

        mutating func settle(_ wanted: LeaseTable.Wanted, _ given: LeaseTable.Given?, at now: Int64) {
            leases.settle(wanted, given, at: now)
        }
    }

    private struct Tables: ~Copyable {
        private var strangers, callers, grants: Counts
        var scope = RateScope()

        init(identities: Int) {
            strangers = Counts(identities: identities)
            callers = Counts(identities: identities)
            grants = Counts(identities: identities)
        }

        mutating func take(_ count: Count.Bucket, at now: Int64, _ wanted: inout LeaseTable.Wanted?) -> RateStanding {
            switch count.table {
            case .strangers: strangers.take(count, in: scope, at: now, &wanted)
            case .callers: callers.take(count, in: scope, at: now, &wanted)
            case .grants: grants.take(count, in: scope, at: now, &wanted)
            }
        }

        mutating func look(_ count: Count.Bucket, at now: Int64, _ wanted: inout LeaseTable.Wanted?) -> RateStanding {
            switch count.table {
            case .strangers: strangers.look(count, in: scope, at: now, &wanted)
            case .callers: callers.look(count, in: scope, at: now, &wanted)
            case .grants: grants.look(count, in: scope, at: now, &wanted)
            }
        }

        mutating func settle(_ lease: WantedLease, _ given: LeaseTable.Given?, at now: Int64) {
            switch lease.count.bucket.table {
            case .strangers: strangers.settle(lease.wanted, given, at: now)
            case .callers: callers.settle(lease.wanted, given, at: now)
            case .grants: grants.settle(lease.wanted, given, at: now)
            }
        }
    }

    private let tables: Guarded<Tables>
    private let whenWanted: @Sendable ([WantedLease]) -> Void

    /// - Parameter identities: how many are told apart at a time, of each kind.
    package convenience init(identities: Int) { self.init(identities: identities) { _ in } }

    /// - Parameter whenWanted: asks for leases, and has the answer told by `settle`; called from any thread.
    init(identities: Int, whenWanted: @escaping @Sendable ([WantedLease]) -> Void) {
        self.whenWanted = whenWanted
        tables = Guarded(Tables(identities: identities))
    }

    // MARK: Requests

    /// Takes a token, if there is one.
    func take(_ count: Count, at instant: Instant) -> RateStanding {
        let (bucket, now) = (count.bucket, instant.monotonic)
        var wanted: LeaseTable.Wanted?
        let standing = tables.withLock { $0.take(bucket, at: now, &wanted) }
        ask(wanted, for: count)
        return standing
    }

    /// What there is, without taking it.
    func look(_ count: Count, at instant: Instant) -> RateStanding {
        let (bucket, now) = (count.bucket, instant.monotonic)
        var wanted: LeaseTable.Wanted?
        let standing = tables.withLock { $0.look(bucket, at: now, &wanted) }
        ask(wanted, for: count)
        return standing
    }

    /// Takes a token of each, or of none where one has none.
    /// - Returns: the standing that refuses, else the one with the fewest tokens left.
    func take(_ first: Count, _ second: Count, at instant: Instant) -> RateStanding {
        let (one, other, now) = (first.bucket, second.bucket, instant.monotonic)
        var wanted: LeaseTable.Wanted?
        var otherWanted: LeaseTable.Wanted?
        let standing = tables.withLock { tables in
            var standing = tables.look(one, at: now, &wanted)
            if standing.isAllowed { standing = tables.look(other, at: now, &otherWanted) }
            guard standing.isAllowed else { return standing }
            standing = tables.take(one, at: now, &wanted)
            let second = tables.take(other, at: now, &otherWanted)
            return standing.remaining <= second.remaining ? standing : second
        }
        ask(wanted, for: first)
        ask(otherWanted, for: second)
        return standing
    }

    private func ask(_ wanted: LeaseTable.Wanted?, for count: Count) {
        if let wanted { whenWanted([WantedLease(count: count, wanted: wanted)]) }
    }

    // MARK: Replicas

    /// How far rates hold from now on.
    var scope: RateScope {
        get { tables.withLock { $0.scope } }
        set { tables.withLock { $0.scope = newValue } }
    }

    /// What became of a lease that was asked for: nil where there was no answer.
    func settle(_ lease: WantedLease, _ given: LeaseTable.Given?, at instant: Instant) {
        tables.withLock { $0.settle(lease, given, at: instant.monotonic) }
    }
}

extension RateTable.Identity {
    /// Tells callers from each other, and those without a name by their addresses.
    static func hash(_ caller: Caller, from address: ClientAddress) -> UInt64 {
        caller.principal.isAnonymous ? hash(address.network) : caller.hash
    }
}
