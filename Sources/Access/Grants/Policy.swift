import Bytes

/// All grants. It alone decides: what is not granted is denied.
package struct Policy: Sendable {
    /// All grants, at their numbers.
    let all: [Grant]
    /// By the routes' indices.
    let routes: [RouteGrants]
    /// The names of the grants; they have the grants' numbers.
    let names: NameTable
    /// The buckets that grants name.
    let buckets: NameTable

    package enum Decision: ~Copyable {
        case permitted(Permit)
        case denied(Denial)
    }

    /// The verdict of one grant on an ask. The clauses are judged in the order of `Clause`, up to the first that does not hold.
    enum Verdict {
        case fits
        /// The grant is none of the caller's, or not the one that is named: nobody is told of it.
        case foreign(Clause)
        case missing(parameter: String, Clause)
        /// The vendor's request cannot be read from the ask, and the grant admits no such asks.
        case obscure
        /// All clauses hold but for the lifetime asked for.
        case lifetimeTooLong
        case objects(Objection, Clause)
    }

    /// - Parameters:
    ///   - grants: no two of one name.
    ///   - routes: how many routes there are.
    package init(_ grants: [Grant], for authenticator: Authenticator, routes: Int) {
        var (names, buckets) = (NameTable(capacity: grants.count), NameTable())
        var numbers = [[Int32]](repeating: [], count: routes)
        for grant in grants { numbers[grant.route].append(names.insert(grant.name)) }
        self.routes = numbers.map { RouteGrants($0, of: grants, for: authenticator, buckets: &buckets) }
        self.names = names
        self.buckets = buckets
        all = grants
    }

    /// Finds the one grant that admits the ask (R4) and how long it holds (R5).
    package func decide(
        _ ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) -> Decision {
        if caller.isDenied { return .denied(.forbidden) }
        if needsCredential(caller, on: route) { return .denied(.unauthenticated) }
        search(for: ask, on: route, by: caller, at: instant, in: &workspace)
        if workspace.tally.isAmbiguous {
            let names = workspace.tally.fittingNumbers.map { all[Int($0)].name }
            return .denied(.ambiguous(names, areAll: !workspace.tally.isFull))
        }
        guard let number = workspace.tally.winner else {
            return .denied(denial(by: workspace.tally, of: ask, on: route, by: caller, at: instant))
        }
        let winner = all[Int(number)]
        let (lifetime, limitedBy): (Int64, Permit.Limit)
        switch Policy.lifetime(of: ask, by: winner, for: caller, now: instant.unixSeconds) {
        case .lasts(let seconds, let limit): (lifetime, limitedBy) = (seconds, limit)
        case .denied(let denial): return .denied(denial)
        }
        var scope = Scope()
        swap(&scope, &workspace.winning)
        return .permitted(
            Permit(winner, scope, lifetime: lifetime, limitedBy: limitedBy, now: instant.unixSeconds))
    }

    /// Why an ask that no grant fits is denied.
    private func denial(
        by tally: Tally, of ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant
    ) -> Denial {
        if let longest = tally.longest { return .lifetimeTooLong(maximum: longest) }
        if let missing = tally.missing {
            return .missing(parameter: missing.parameter, or: ask.prefixParameter(insteadOf: missing.parameter))
        }
        guard let (objection, clause, takesTarget, number) = tally.objection else {
            return ask.obscurity.map { .obscure($0) } ?? .notInGrant(nil)
        }
        var told = objection
        let grant = all[Int(number)]
        if clause == .key {
            told.granted =
                ask.grant == nil
                ? listedKeys(near: ask, on: route, takingTarget: takesTarget, for: caller, at: instant)
                : listedKey(of: grant, for: caller, by: ask.nonce, at: instant)
        } else if objection.isOutside, caller.ticket == nil {
            // The list is not for tickets.
            told.granted = grant.told(objection.clause.description)
        }
        return .notInGrant(told)
    }

    /// Whether the caller is anonymous, and no grant of this route admits anonymous callers.
    package func needsCredential(_ caller: Caller, on route: Int) -> Bool {
        caller.principal.isAnonymous && routes[route].isEmpty(for: caller)
    }

    enum Lifetime {
        case lasts(Int64, Permit.Limit)
        case denied(Denial)

        /// For a credential that the vendor does not end with the caller's own: it is issued for the longest time that fits before that
        /// end, if the grant lets its lifetime shrink.
        static func fitting(_ left: Int64, in lifetime: Int64, of ask: borrowing Ask, by grant: Grant) -> Lifetime {
            let least = grant.lifetimes.least
            guard ask.lifetime == nil, grant.lifetimes.mayShrink, left >= least else {
                return tooShort(left, needed: lifetime, .lesserLifetime(least: least))
            }
            return .lasts(max(least, left / step * step), .caller)
        }

        /// Seconds. Sessions are remembered by their length, so few different lengths mean few calls to the vendor.
        private static let step: Int64 = 300

        static func tooShort(_ left: Int64, needed: Int64?, _ remedy: Shortfall.Remedy) -> Lifetime {
            .denied(.credentialTooShort(Shortfall(left: max(0, left), needed: needed, remedy: remedy)))
        }
    }

    static func lifetime(
        of ask: borrowing Ask, by grant: Grant, for caller: Caller, now: Int64
    ) -> Lifetime {
        let left = caller.end(at: now).map { $0 - now }
        if grant.neverEnds, let left { return .tooShort(left, needed: nil, .endlessCredential) }
        if let end = ask.end { return lifetime(until: end, by: grant, left, now: now) }
        var (lifetime, limit) = (
            ask.lifetime ?? grant.lifetimes.usual, ask.lifetime == nil ? Permit.Limit.grant : .requested
        )
        switch grant.rest(at: now) {
        case .endless: break
        case .lasts(let rest): if rest < lifetime { (lifetime, limit) = (rest, .grant) }
        case .tooShort: return .denied(.notInGrant(grant.objectionToTime(at: now)))
        }
        if let left, left < lifetime {
            switch grant.callersEnd {
            case .shortens: return .lasts(left, .caller)
            case .denies: return .fitting(left, in: lifetime, of: ask, by: grant)
            case .ignored: break
            }
        }
        return .lasts(lifetime, limit)
    }

    /// For an ask that says when what is signed ends.
    /// - Parameter left: seconds that the caller's own credential has left; nil where it has no end.
    private static func lifetime(until end: Ask.End, by grant: Grant, _ left: Int64?, now: Int64) -> Lifetime {
        let (seconds, remedy): (Int64, Shortfall.Remedy) =
            switch end {
            case .binding(let end): (end - now, .earlierEnd)
            case .fixed(let end): (end - now, .outliveCaller)
            }
        if let notAfter = grant.availability.notAfter, notAfter - now < seconds {
            return .denied(
                .notInGrant(Objection("notAfter", "what is asked for would hold longer than the grant does")))
        }
        if case .fixed = end, case .ignored = grant.callersEnd { return .lasts(seconds, .requested) }
        if let left, left < seconds { return .tooShort(left, needed: seconds, remedy) }
        return .lasts(seconds, .requested)
    }
}
