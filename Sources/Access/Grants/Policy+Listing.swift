import Bytes

extension Policy {
    /// One of the grants that a caller has, as far as it is known before anything is asked.
    package struct Listed: ~Copyable, ~Escapable {
        package let grant: Grant
        /// The key or the rendered prefix; nil where the server chooses it anew for each request, or leaves it to the caller.
        package let key: Span<UInt8>?

        @_lifetime(copy key)
        init(_ grant: Grant, key: Span<UInt8>?) {
            self.grant = grant
            self.key = key
        }
    }

    /// Tells what a caller may have, in the order of the routes and of the configuration. Grants that cannot be filled in for
    /// the caller, or that may not be used now or from there, are left out.
    /// - Parameter ask: asks for nothing in particular.
    package func list(
        for caller: Caller, asking ask: borrowing Ask, at instant: Instant, in workspace: inout PolicyWorkspace,
        _ tell: (borrowing Listed) -> Void
    ) {
        for number in routes.lazy.flatMap({ $0.numbers(for: caller) }) {
            let grant = all[Int(number)]
            guard grant.admits(caller.claims),
                grant.availability.fault(at: instant.unixSeconds, from: ask.address) == nil
            else { continue }
            workspace.candidate.begin()
            switch grant.resources.target {
            case .anything: tell(Listed(grant, key: nil))
            case .key(let template) where template.usesUUID || template.usesExtension:
                tell(Listed(grant, key: nil))
            case .key(let template), .prefix(let template):
                guard
                    workspace.candidate.set(key: template, for: caller, asking: nil, by: ask.nonce, at: instant) == nil
                else { continue }
                tell(Listed(grant, key: workspace.candidate.key))
            }
        }
    }

    /// The key or prefix of a grant as the caller is told it (`list`); nil where it is not told.
    func listedKey(of grant: Grant, for caller: Caller, by nonce: Nonce, at instant: Instant) -> [UInt8]? {
        // The list is not for tickets.
        guard caller.ticket == nil else { return nil }
        var rendered = ByteWriter()
        switch grant.resources.target {
        case .anything: return nil
        case .key(let template) where template.usesUUID || template.usesExtension: return nil
        case .key(let template), .prefix(let template):
            let fault = template.render(for: caller, asking: nil, by: nonce, at: instant, into: &rendered)
            return fault == nil ? rendered.array : nil
        }
    }

    /// The keys and prefixes, as the caller is told them (`list`), of the grants that object to an ask's key alone; nil where these
    /// are more than an answer names, or none is told.
    /// - Parameter takesTarget: of which of them (`Grant.takesTarget`).
    func listedKeys(
        near ask: borrowing Ask, on route: Int, takingTarget takesTarget: Bool, for caller: Caller,
        at instant: Instant
    ) -> [UInt8]? {
        let numbers = routes[route].numbers(for: caller)
        guard numbers.count <= Tally.mostNamed else { return nil }
        var candidate = Scope()
        var keys: [[UInt8]] = []
        for number in numbers {
            let grant = all[Int(number)]
            guard case .objects(_, .key) = judge(ask, by: grant, for: caller, at: instant, &candidate),
                grant.takesTarget(of: ask) == takesTarget,
                let key = listedKey(of: grant, for: caller, by: ask.nonce, at: instant), !keys.contains(key)
            else { continue }
            keys.append(key)
        }
        return keys.isEmpty ? nil : Array(keys.joined(separator: Array(text: ", ")))
    }

    /// A caller's own grant that a ticket may be for: `authenticated` is not said of tickets (R11).
    package func ticketGrant(named name: Span<UInt8>, for caller: Caller) -> Grant? {
        guard let number = names.number(of: name) else { return nil }
        let grant = all[Int(number)]
        let isListed = routes[grant.route].contains(number, for: caller)
        return isListed && grant.namesCaller(caller) && grant.admits(caller.claims) ? grant : nil
    }

    /// Whether a caller has a grant of a route whose conditions the caller's claims and ticket meet. Of long lists the conditions are
    /// judged with the request.
    package func hasGrant(on route: Int, for caller: Caller) -> Bool {
        if let ticket = caller.ticket {
            return ticketGrant(named: ticket.terms.grant.span, for: caller)?.route == route
        }
        let (common, own) = routes[route].lists(for: caller)
        return admits(caller, in: common) || admits(caller, in: own)
    }

    private func admits(_ caller: Caller, in list: GrantList?) -> Bool {
        guard let list else { return false }
        switch list.content {
        case .few: return list.numbers.contains { all[Int($0)].admits(caller.claims) }
        case .indexed: return !list.numbers.isEmpty
        case .byClaim(let lists, let others):
            if admits(caller, in: others) { return true }
            return caller.claims.entries.contains { name, value in
                switch value {
                case .single(let value): admits(caller, in: lists[.init(name: name, value: value)])
                case .list(let values): values.contains { admits(caller, in: lists[.init(name: name, value: $0)]) }
                }
            }
        }
    }

    /// Whether a caller has any grant.
    package func hasGrants(for caller: Caller) -> Bool { routes.contains { !$0.isEmpty(for: caller) } }
}
