import Bytes

/// All grants. It alone decides: what is not granted is denied.
package struct Policy: Sendable {
    /// For each route, for each caller's index, the grants that admit the caller.
    let grants: [[[Grant]]]
    /// The grants of all callers.
    let all: [Grant]

    package enum Decision: ~Copyable {
        case permitted(Permit)
        case denied(Denial)
    }

    /// What one grant says to an ask: the clauses are judged in the order of `Clause`, up to the first that does not hold.
    enum Verdict {
        case fits
        /// The grant is none of the caller's, or not the one that is named: nobody is told of it.
        case foreign(Clause)
        case missing(parameter: String, Clause)
        /// The request cannot be read from what is asked, and the grant admits no such asks.
        case obscure
        /// All clauses hold but for the lifetime asked for.
        case lifetimeTooLong
        case objects(Objection, Clause)
    }

    /// - Parameter routes: how many routes there are.
    package init(_ grants: [Grant], for authenticator: Authenticator, routes: Int) {
        self.grants = (0..<routes).map { route in
            Policy.table(of: grants.filter { $0.route == route }, for: authenticator)
        }
        all = grants
    }

    /// For each caller's index, the grants of a route that admit the caller, in their order. Callers whom none of them names share
    /// one list: there may be thousands of both.
    private static func table(of grants: [Grant], for authenticator: Authenticator) -> [[Grant]] {
        var common: [Grant] = []
        var named: Set<Int> = []
        for grant in grants {
            if grant.callers.contains(.authenticated) { common.append(grant) }
            for selector in grant.callers where selector != .authenticated {
                named.formUnion(authenticator.indices(admittedBy: selector))
            }
        }
        var table = [[Grant]](repeating: common, count: authenticator.callers.count)
        table[authenticator.anonymous.index] = []
        for index in named { table[index] = [] }
        guard !named.isEmpty else { return table }
        for grant in grants {
            let isCommon = grant.callers.contains(.authenticated)
            var indices = isCommon ? named.subtracting([authenticator.anonymous.index]) : []
            for selector in grant.callers where selector != .authenticated {
                indices.formUnion(authenticator.indices(admittedBy: selector))
            }
            for index in indices { table[index].append(grant) }
        }
        return table
    }

    /// Finds the one grant that admits the ask (R4) and how long it holds (R5).
    package func decide(
        _ ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) -> Decision {
        if caller.isDenied { return .denied(.forbidden) }
        if needsCredential(caller, on: route) { return .denied(.unauthenticated) }
        var winner: Grant?
        var objection: (Objection, Clause, Grant)?
        var missing: String?
        var longest: Int64?
        for grant in grants[route][caller.index] {
            switch judge(ask, by: grant, for: caller, at: instant, &workspace.candidate) {
            case .fits:
                guard winner == nil else { return .denied(.ambiguous) }
                winner = grant
                swap(&workspace.winning, &workspace.candidate)
            case .missing(let parameter, _): missing = parameter
            case .foreign, .obscure: break
            case .lifetimeTooLong: longest = max(longest ?? 0, grant.lifetimes.longest)
            case .objects(let found, let clause):
                if let nearest = objection?.1, clause < nearest { continue }
                objection = (found, clause, grant)
            }
        }
        guard let winner else {
            if let longest { return .denied(.lifetimeTooLong(maximum: longest)) }
            if let missing { return .denied(.missing(parameter: missing)) }
            if objection == nil, let obscurity = ask.obscurity { return .denied(.obscure(obscurity)) }
            guard let (objection, clause, grant) = objection else { return .denied(.notInGrant(nil)) }
            var told = objection
            if clause == .key { told.granted = listedKey(of: grant, for: caller, by: ask.nonce, at: instant) }
            return .denied(.notInGrant(told))
        }
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

    /// Whether the caller is anonymous, and no grant of this route admits anonymous callers.
    package func needsCredential(_ caller: Caller, on route: Int) -> Bool {
        caller.principal.kind == .anonymous && grants[route][caller.index].isEmpty
    }

    enum Lifetime {
        case lasts(Int64, Permit.Limit)
        case denied(Denial)

        /// What is issued cannot end earlier by itself; it is given for what fits, if the grant leaves that open.
        static func fitting(_ left: Int64, in lifetime: Int64, of ask: borrowing Ask, by grant: Grant) -> Lifetime {
            let least = grant.lifetimes.least
            guard ask.lifetime == nil, grant.lifetimes.mayShrink, left >= least else {
                return tooShort(left, needed: lifetime, .lesserLifetime(least: least))
            }
            return .lasts(max(least, left / step * step), .caller)
        }

        /// Seconds. What the vendor issues is remembered by how long it holds, so that callers get as few lengths as will do.
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

    /// - Parameter grant: one of those that are listed for the caller.
    func judge(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        // A grant whose conditions the caller's claims do not meet is as foreign as another's.
        guard grant.admits(caller.claims) else { return .foreign(.conditions) }
        if let name = ask.grant, !ask.parameters.bytes(name).equals(grant.name) { return .foreign(.name) }
        if let ticket = caller.ticket, ticket.terms.grant != grant.name || !grant.namesCaller(caller) {
            return .foreign(.ticket)
        }
        if let fault = grant.availability.fault(at: instant.unixSeconds, from: ask.address) {
            return .objects(fault.objection, fault.clause)
        }
        guard ask.obscurity == nil || grant.takesObscure else { return .obscure }
        let verdict = judgeScope(ask, by: grant, for: caller, at: instant, &scope)
        guard case .fits = verdict else { return verdict }
        if let objection = Policy.objection(toKey: scope.key, of: ask, by: grant) {
            return .objects(objection, .fields)
        }
        if let template = grant.issuer.vendorName {
            if let fault = scope.set(
                vendorName: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, of: ask)
            }
            if let objection = grant.issuer.objection(toVendorName: scope.vendorName, of: ask) {
                return .objects(objection, .fields)
            }
        }
        if let objection = grant.issuer.objection(to: ask) { return .objects(objection, .fields) }
        return ask.lifetime ?? 0 <= grant.lifetimes.longest ? .fits : .lifetimeTooLong
    }

    /// What is wrong with the bytes that would be signed as key or prefix. Every rule of a key is asked here, wherever the bytes
    /// come from: the caller, the grant, or a template that was filled in.
    /// - Parameter key: empty where all of the bucket or of the account is meant.
    private static func objection(toKey key: Span<UInt8>, of ask: borrowing Ask, by grant: Grant) -> Objection? {
        guard !key.isEmpty else { return nil }
        if let fault = ObjectKeyRule.fault(of: key, maximumLength: grant.resources.maximumKeyLength) {
            return Objection("key", fault)
        }
        return grant.issuer.objection(toKey: key, of: ask)
    }

    private func judgeScope(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        if ask.isAboutService { return judgeService(grant, &scope) }
        switch grant.resources.bucket {
        case .named(let bucket):
            if let asked = ask.bucket, !asked.equals(bucket) {
                return .objects(Objection("bucket", "the bucket is not the grant's"), .bucket)
            }
            scope.begin(bucket: bucket.span)
        case .asked:
            guard let asked = ask.bucket else { return .missing(parameter: "bucket", .bucket) }
            scope.begin(bucket: asked)
        case .absent: scope.begin()
        }
        return judgeKey(ask, by: grant, for: caller, at: instant, &scope)
    }

    private func judgeService(_ grant: Grant, _ scope: inout Scope) -> Verdict {
        switch (grant.resources.bucket, grant.resources.target) {
        case (.asked, .anything), (.absent, .anything):
            scope.begin()
            scope.extent = .service
            return .fits
        case (.named, _), (_, .key), (_, .prefix):
            let reason: StaticString = "what is asked for is of the whole account, and the grant is for a part of it"
            return .objects(Objection("unscoped", reason), .bucket)
        }
    }

    private func judgeKey(
        _ ask: borrowing Ask, by grant: Grant, for caller: Caller, at instant: Instant, _ scope: inout Scope
    ) -> Verdict {
        switch grant.resources.target {
        case .key(let template):
            if let fault = scope.set(key: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, of: ask)
            }
            if ask.keyIsPrefix {
                return .objects(Objection("key", "the grant is for one key, and no prefix"), .key)
            }
            if ask.hasExtension, !template.usesExtension { return Policy.unwantedExtension }
            if let asked = ask.key, !asked.equals(scope.key) {
                return .objects(
                    template.usesExtension && ask.extensionParameter != "key"
                        ? Objection("key", "the grant's key is another; leave it out, and ask for its extension by ext")
                        : Objection("key", "the grant's key is another; leave it out, the server chooses"), .key)
            }
        case .prefix(let template):
            if ask.hasExtension { return Policy.unwantedExtension }
            if let fault = scope.set(key: template, for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant)
            {
                return Policy.verdict(on: fault, of: ask)
            }
            guard let asked = ask.key else { return judgeWithoutKey(grant, .prefix, &scope) }
            guard asked.begins(with: scope.key) else {
                return .objects(
                    Objection("keyPrefix", "the key does not begin with the grant's prefix"), .key)
            }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        case .anything:
            if ask.hasExtension { return Policy.unwantedExtension }
            guard let asked = ask.key else { return judgeWithoutKey(grant, .bucket, &scope) }
            scope.set(key: asked, isPrefix: ask.keyIsPrefix)
        }
        return .fits
    }

    private func judgeWithoutKey(_ grant: Grant, _ extent: Permit.Extent, _ scope: inout Scope) -> Verdict {
        if case .refuse(let parameter) = grant.resources.withoutKey { return .missing(parameter: parameter, .key) }
        scope.extent = extent
        return .fits
    }

    private static var unwantedExtension: Verdict {
        .objects(Objection("key", "the grant's key has no ${ext} that ext could stand for; ask by key"), .key)
    }

    private static func verdict(on fault: KeyTemplate.RenderFault, of ask: borrowing Ask) -> Verdict {
        switch fault {
        case .noExtension: .missing(parameter: ask.extensionParameter, .key)
        case .caller: .objects(Objection("key", "the caller has no name that may stand in a key"), .key)
        case .claim:
            .objects(Objection("key", "the caller has no claim that may stand where the grant has it"), .key)
        case .badExtension:
            .objects(Objection("key", "the extension is not one that the grant admits"), .key)
        case .separator(let name):
            .objects(
                Objection("key", "must not hold a character that separates values in the grant", value: name), .key)
        }
    }
}
